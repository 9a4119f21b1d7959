/** Refusals in the words of a model: why, and what would mend it. */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Context } from "../context.ts";
import { Problem, type Status } from "../problem.ts";

/** What to do about it, where the reason alone does not say. */
const mends: Partial<Record<Status, string>> = {
  400: "Correct the arguments and call again; the input schema says what each takes.",
  403: "Ask the operator for a token that has it (`svc token create <name> --scopes …`).",
  404: "Look for the right name first: the resources list the projects, svc_get_feed names what happened in them.",
  409: "Read its state again before you decide what to do.",
  413: "Send less.",
  501: "Nothing in the arguments can change that; tell the operator.",
  503: "Try again in a few seconds.",
};

/** Anything thrown → the reason and the way on. What is no refusal is logged, and its own words stay here. */
export function reasonOf(ctx: Pick<Context, "log">, error: unknown, what: string): string {
  if (error instanceof Problem) {
    if (error.status === 503) ctx.log("warn", error.detail, { what, cause: String((error.cause as Error)?.message ?? "") });
    return [error.detail, mends[error.status]].filter(Boolean).join(" ");
  }
  ctx.log("error", "unexpected error", { what, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  return "Something went wrong here; the server's log has the cause.";
}

/** The same where only a protocol error can say it: resources, prompts, completion. */
export function protocolError(ctx: Pick<Context, "log">, error: unknown, what: string): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const expected = error instanceof Problem ? codes[error.status] : undefined;
  return new ProtocolError(expected ?? ProtocolErrorCode.InternalError, reasonOf(ctx, error, what));
}

const codes: Partial<Record<Status, ProtocolErrorCode>> = {
  400: ProtocolErrorCode.InvalidParams,
  401: ProtocolErrorCode.InvalidRequest,
  403: ProtocolErrorCode.InvalidRequest,
  404: ProtocolErrorCode.ResourceNotFound,
};
