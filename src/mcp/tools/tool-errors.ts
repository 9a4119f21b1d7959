/** Error messages for models: what is wrong, and a next step that this caller can take. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { isAllowed, MissingScope } from "../../auth/authorization.ts";
import type { Caller } from "../../auth/caller.ts";
import { rolesWith } from "../../auth/roles.ts";
import type { Context } from "../../context.ts";
import { toolOperations } from "../../operations/index.ts";
import { NotFound, Problem, type Resource, type Status } from "../../problem.ts";

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
 * else what to do without one.
 */
const lookups: Record<Resource, { tools: Record<string, string>; otherwise: string }> = {
  project: {
    tools: {
      svc_get_feed:
        "To find the slug, use svc_get_feed for projects with recent events, or resources/list for all projects.",
      svc_feed: "To find the slug, use svc_feed for projects with recent events.",
    },
    otherwise: "Ask the user for the project's slug.",
  },
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

type Site = Pick<Context, "config" | "log">;

/** Describes anything thrown, for a model. Unexpected errors are logged and their message is not revealed. */
export function describeError(site: Site, error: unknown, what: string, caller: Caller | null): string {
  if (error instanceof Problem) {
    const { status, detail, cause } = error;
    if (status === 503) site.log("warn", detail, { what, cause: String((cause as Error)?.message ?? "") });
    if (error instanceof MissingScope) return describeMissingScope(error, caller);
    return [detail, error instanceof NotFound ? lookupHint(site, error, caller) : nextStepFor(status, caller)]
      .filter(Boolean)
      .join(" ");
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

function nextStepFor(status: Status, caller: Caller | null): string | undefined {
  if (status === 401 && isStdio(caller)) return "Ask the user to restart `svc mcp` with a valid token.";
  return nextSteps[status];
}

function lookupHint(
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

/** Converts anything thrown into a protocol error, for resources, prompts and completion. */
export function toProtocolError(
  site: Site,
  error: unknown,
  what: string,
  caller: Caller | null,
): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const code = error instanceof Problem ? errorCodes[error.status] : undefined;
  return new ProtocolError(code ?? ProtocolErrorCode.InternalError, describeError(site, error, what, caller));
}

const errorCodes: Partial<Record<Status, ProtocolErrorCode>> = {
  400: ProtocolErrorCode.InvalidParams,
  401: ProtocolErrorCode.InvalidRequest,
  403: ProtocolErrorCode.InvalidRequest,
  404: ProtocolErrorCode.ResourceNotFound,
};
