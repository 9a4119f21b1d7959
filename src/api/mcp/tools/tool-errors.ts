/** Error messages for models: what is wrong, and a next step that this caller can take. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { isAllowed, MissingScope } from "../../../core/auth/authorization.ts";
import type { Caller } from "../../../core/auth/caller.ts";
import { rolesWith, type Scope } from "../../../core/auth/scopes.ts";
import { NotFound, Problem, type Resource, type Status } from "../../../core/problem.ts";
import type { Context } from "../../context.ts";
import { toolOperations } from "../../operations/index.ts";

/** The next step by status, for errors whose detail does not name one. */
const nextSteps: Partial<Record<Status, string>> = {
  400: "Correct the arguments and call again; the input schema describes them.",
  409: "Read the current state before you decide what to do.",
  413: "Request a new upload for a smaller file.",
  501: "Other arguments will not help; tell the user.",
  503: "Try again in a few seconds.",
};

/**
 * How to find the id of something that was not found: a hint for the first tool that the caller may call,
 * else what to do without one. A model cannot list the projects with a tool, so the error lists them.
 */
const lookups: Record<Resource, { tools: Record<string, string>; otherwise: string }> = {
  project: { tools: {}, otherwise: "Ask the user for the project's slug." },
  asset: {
    tools: { svc_asset_list: "To find the id, use svc_asset_list." },
    otherwise: "Ask the user for the asset's id.",
  },
  model: { tools: {}, otherwise: "Use the id of a known model, or work without guidance." },
  upload: {
    tools: {
      svc_asset_request_upload:
        "Call svc_asset_request_upload, run the command it returns, then finalize the upload.",
    },
    otherwise: "Ask the user to upload the file.",
  },
};

type Site = Pick<Context, "config" | "log" | "data">;

/** Describes anything thrown, for a model. Unexpected errors are logged and their message is not revealed. */
export async function describeError(
  site: Site,
  error: unknown,
  what: string,
  caller: Caller | null,
): Promise<string> {
  if (error instanceof Problem) {
    const { status, detail, cause } = error;
    if (status === 503) site.log("warn", detail, { what, cause: String((cause as Error)?.message ?? "") });
    if (error instanceof MissingScope) return describeMissingScope(error, caller);
    const hint =
      error instanceof NotFound ? await lookupHint(site, error, caller) : nextStepFor(error, caller);
    return [detail, hint].filter(Boolean).join(" ");
  }
  site.log("error", "unexpected error", {
    what,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return "Internal error. The server log has the cause.";
}

const isStdio = (caller: Caller | null): boolean => caller === null || caller.source?.via === "stdio";

/** A model cannot create tokens or set headers, so the message says what the user has to change. */
function describeMissingScope({ scope, status }: MissingScope, caller: Caller | null): string {
  if (isStdio(caller))
    return `This requires the scope ${scope}. Ask the user to restart \`svc mcp\` with a SVC_TOKEN or --scopes that include it.`;
  return status === 403
    ? `The token lacks the scope ${scope}. Ask the user for a token with ${rolesWith(scope)}; an admin can create one.`
    : `This requires a token with the scope ${scope}. Ask the user to configure one for this MCP server, as the header \`Authorization: Bearer …\`; an admin can create one.`;
}

function nextStepFor({ status, detail }: Problem, caller: Caller | null): string | undefined {
  if (status === 401 && isStdio(caller)) return "Ask the user to restart `svc mcp` with a valid token.";
  if (status === 503 && /try again/i.test(detail)) return undefined;
  return nextSteps[status];
}

async function lookupHint(
  site: Pick<Site, "config" | "data">,
  { resource }: NotFound,
  caller: Caller | null,
): Promise<string | undefined> {
  if (!resource) return undefined;
  const { tools, otherwise } = lookups[resource];
  const may = (scope: Scope | "public") => caller !== null && isAllowed(caller, scope, site.config);
  if (resource === "project" && caller && (may("feed:read") || may("memory:read")))
    return knownProjects(site, caller);
  const op = toolOperations.find(({ tool, scope }) => tools[tool.name] && may(scope));
  return op ? tools[op.tool.name] : otherwise;
}

/** More projects than this are not named: a model would rather ask than read them all. */
const projectsMax = 30;

/** The projects that the caller may read, the most recently active first. */
async function knownProjects({ data }: Pick<Site, "data">, { projects }: Caller): Promise<string> {
  const rows = await data.projects(projects, { limit: projectsMax + 1 });
  if (rows.length === 0) return "No project is linked yet. Ask the user to run `svc project link`.";
  const slugs = rows.slice(0, projectsMax).map(({ slug }) => slug);
  return `Known projects: ${slugs.join(", ")}${rows.length > projectsMax ? ", and more" : ""}.`;
}

/** Converts anything thrown into a protocol error, for resources, prompts and completion. */
export async function toProtocolError(
  site: Site,
  error: unknown,
  what: string,
  caller: Caller | null,
): Promise<ProtocolError> {
  if (error instanceof ProtocolError) return error;
  const code = error instanceof Problem ? errorCodes[error.status] : undefined;
  const message = await describeError(site, error, what, caller);
  return new ProtocolError(code ?? ProtocolErrorCode.InternalError, message);
}

const errorCodes: Partial<Record<Status, ProtocolErrorCode>> = {
  400: ProtocolErrorCode.InvalidParams,
  401: ProtocolErrorCode.InvalidRequest,
  403: ProtocolErrorCode.InvalidRequest,
  404: ProtocolErrorCode.ResourceNotFound,
};
