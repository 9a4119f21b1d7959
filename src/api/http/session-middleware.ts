/**
 * The middleware of the website: the session cookie authenticates, and writes need a CSRF token and an
 * allowed Origin.
 */
import { actionOf } from "../../core/audit/action.ts";
import { anonymous, type Caller } from "../../core/auth/caller.ts";
import { isValidCsrf } from "../../core/auth/session/csrf.ts";
import { type Visitor, visitorFrom } from "../../core/auth/session/session.ts";
import { forbidden } from "../../core/problem.ts";
import type { Context } from "../context.ts";
import { isOwnOrigin, requireServedHost } from "./allowed-hosts.ts";
import { clientAddress, isRefusal, type Middleware, pathOf } from "./api-middleware.ts";
import { problemResponse } from "./problem-response.ts";

const csrfHeader = "x-csrf-token";

/** The middleware of `/web`: the operations of the API for the scripts of the pages. It has no rate limit. */
export function sessionMiddleware(ctx: Context): Middleware {
  return async (request, connection, answer) => {
    let caller: Caller = {
      ...anonymous,
      source: { via: "session", address: clientAddress(ctx, request, connection) },
    };
    const respond = async (): Promise<Response> => {
      const visitor = await visitorFrom(ctx, request.headers.get("cookie"));
      caller = { ...visitor.caller, source: { ...caller.source, via: "session" } };
      if (request.method !== "GET" && request.method !== "HEAD")
        requireOurPage(ctx, request, visitor, request.headers.get(csrfHeader));
      return answer(caller);
    };
    const response = await respond().catch((error) => {
      if (isRefusal(error)) ctx.audit.recordRefusal(actionOf(caller, "request"), error);
      return problemResponse(ctx, error, pathOf(request.url));
    });
    response.headers.set("x-content-type-options", "nosniff");
    return response;
  };
}

/** @throws {Problem} 403 unless Origin is this site and the CSRF token belongs to this session */
export function requireOurPage(ctx: Context, request: Request, visitor: Visitor, csrf: string | null): void {
  requireServedHost(request, ctx.config);
  if (request.headers.get("origin") === null) throw forbidden("The Origin header is required.");
  if (!isOwnOrigin(request, ctx.config)) throw forbidden("This form was submitted from another site.");
  if (csrf === null || !isValidCsrf(visitor, csrf))
    throw forbidden("Your session changed, or your browser blocks cookies. Reload the page.");
}
