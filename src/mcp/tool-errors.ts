/** Refusals for a model: what is wrong, and a next step that this caller can take. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { type Caller, isAllowed, MissingScope } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { toolOperations } from "../operations/index.ts";
import { NotFound, Problem, type Resource, type Status } from "../problem.ts";

/** The next step, where the detail does not name one. */
const steps: Partial<Record<Status, string>> = {
  400: "Correct the arguments and call again; the input schema says what each takes.",
  409: "Read its state again before you decide what to do.",
  413: "Reserve a new upload for a smaller file.",
  501: "No argument can change that; tell the user.",
  503: "Try again in a few seconds.",
};

/**
 * Where the right name of a thing is found: the first tool that the caller may call, else what to do without
 * one.
 */
const lookups: Record<Resource, { tools: Record<string, string>; otherwise: string }> = {
  project: {
    tools: {
      svc_get_feed:
        "Look up the slug: svc_get_feed shows the projects with recent events, resources/list all projects.",
      svc_feed: "Look up the slug: svc_feed shows the projects with recent events.",
    },
    otherwise: "Ask the user for the slug of the project.",
  },
  asset: {
    tools: { svc_asset_list: "Look up the id: svc_asset_list lists the assets." },
    otherwise: "Ask the user for the id of the asset.",
  },
  model: { tools: {}, otherwise: "Use the id of a known model, or work without guidance." },
  upload: {
    tools: {
      svc_asset_request_upload:
        "Reserve an upload with svc_asset_request_upload, run its command, then finalize it.",
    },
    otherwise: "Ask the user to upload the file.",
  },
};

type Site = Pick<Context, "config" | "log">;

/** Anything thrown as text for a model. What is not a refusal is logged, and its own message stays here. */
export function reasonOf(site: Site, error: unknown, what: string, caller: Caller | null): string {
  if (error instanceof Problem) {
    const { status, detail, cause } = error;
    if (status === 503) site.log("warn", detail, { what, cause: String((cause as Error)?.message ?? "") });
    if (error instanceof MissingScope) return scopeReason(error, caller);
    return [detail, error instanceof NotFound ? lookup(site, error, caller) : nextStep(status, caller)]
      .filter(Boolean)
      .join(" ");
  }
  site.log("error", "unexpected error", {
    what,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return "Something went wrong here; the server's log has the cause.";
}

const isStdio = (caller: Caller | null): boolean => caller === null || caller.source?.via === "stdio";

/** A model cannot create tokens or set headers, so it is told what its user has to change. */
function scopeReason({ scope, status }: MissingScope, caller: Caller | null): string {
  if (isStdio(caller))
    return `This needs the scope ${scope}. Ask the user to restart \`svc mcp\` with a SVC_TOKEN or with --scopes that include it.`;
  return status === 403
    ? `The token lacks the scope ${scope}. Ask the user for a token that has it; an admin of the service creates it.`
    : `This needs a token with the scope ${scope}. Ask the user to configure one for this MCP server, as the header \`Authorization: Bearer …\`; an admin of the service creates it.`;
}

function nextStep(status: Status, caller: Caller | null): string | undefined {
  if (status === 401 && isStdio(caller)) return "Ask the user to restart `svc mcp` with a valid token.";
  return steps[status];
}

function lookup(
  { config }: Pick<Site, "config">,
  { resource }: NotFound,
  caller: Caller | null,
): string | undefined {
  if (!resource) return undefined;
  const { tools, otherwise } = lookups[resource];
  const op = toolOperations.find(
    ({ tool, scope }) => tools[tool.name] && caller && isAllowed(caller, scope, config),
  );
  return op ? tools[op.tool.name] : otherwise;
}

/** The same where only a protocol error can say it: resources, prompts, completion. */
export function protocolError(
  site: Site,
  error: unknown,
  what: string,
  caller: Caller | null,
): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const expected = error instanceof Problem ? codes[error.status] : undefined;
  return new ProtocolError(expected ?? ProtocolErrorCode.InternalError, reasonOf(site, error, what, caller));
}

const codes: Partial<Record<Status, ProtocolErrorCode>> = {
  400: ProtocolErrorCode.InvalidParams,
  401: ProtocolErrorCode.InvalidRequest,
  403: ProtocolErrorCode.InvalidRequest,
  404: ProtocolErrorCode.ResourceNotFound,
};
