/**
 * The door of the pages and their islands: the session's cookie says who asks; what writes proves that it
 * comes from a page of ours.
 */
import { actionOf } from "../audit/action.ts";
import { anonymous, type Caller } from "../auth/caller.ts";
import { isValidCsrf } from "../auth/csrf.ts";
import { type Visitor, visitorFrom } from "../auth/session.ts";
import type { Context } from "../context.ts";
import { Problem } from "../problem.ts";
import { isOwnOrigin, requireServedHost } from "./allowed-hosts.ts";
import { clientAddress, isRefusal, type Middleware, pathOf } from "./api-middleware.ts";
import { problemResponse } from "./problem-response.ts";

export const csrfHeader = "x-csrf-token";

/** Routes under `/web`: the operations of the API, for the islands. They are not limited. */
export function sessionMiddleware(ctx: Context): Middleware {
  return async (request, connection, answer) => {
    let known: Caller = {
      ...anonymous,
      source: { via: "session", address: clientAddress(ctx, request, connection) },
    };
    const respond = async (): Promise<Response> => {
      const visitor = await visitorFrom(ctx, request.headers.get("cookie"));
      known = { ...visitor.caller, source: { ...known.source, via: "session" } };
      if (request.method !== "GET" && request.method !== "HEAD")
        requireOurPage(ctx, request, visitor, request.headers.get(csrfHeader));
      return answer(known);
    };
    const response = await respond().catch((error) => {
      if (isRefusal(error)) ctx.audit.recordRefusal(actionOf(known, "request"), error);
      return problemResponse(ctx, error, pathOf(request.url));
    });
    response.headers.set("x-content-type-options", "nosniff");
    return response;
  };
}

/**
 * 403 unless the request comes from a page of this site, in this session (Origin, and a token that only our
 * pages hold).
 */
export function requireOurPage(ctx: Context, request: Request, visitor: Visitor, csrf: string | null): void {
  requireServedHost(request, ctx.config);
  if (request.headers.get("origin") === null) throw new Problem(403, "The Origin header is required.");
  if (!isOwnOrigin(request, ctx.config)) throw new Problem(403, "This form was submitted from another site.");
  if (csrf === null || !isValidCsrf(visitor, csrf))
    throw new Problem(403, "Your session changed, or your browser blocks cookies. Reload the page.");
}
