/**
 * The door of the pages and their islands: the session's cookie says who asks; what writes proves that it
 * comes from a page of ours.
 */
import { actOf } from "../audit/action.ts";
import { anonymous, type Caller } from "../auth/caller.ts";
import { fitsCsrf } from "../auth/csrf.ts";
import { type Visitor, visitorFrom } from "../auth/session.ts";
import type { Context } from "../context.ts";
import { Problem } from "../problem.ts";
import { isOwnOrigin, requireServedHost } from "./allowed-hosts.ts";
import { addressOf, type Door, isRefusal, pathOf } from "./api-middleware.ts";
import { problemResponse } from "./problem-response.ts";

export const csrfHeader = "x-csrf-token";

/** Routes under `/web`: the operations of the API, for the islands. They are not limited. */
export function sessionDoor(ctx: Context): Door {
  return async (request, connection, answer) => {
    let known: Caller = {
      ...anonymous,
      came: { via: "session", address: addressOf(ctx, request, connection) },
    };
    const respond = async (): Promise<Response> => {
      const visitor = await visitorFrom(ctx, request.headers.get("cookie"));
      known = { ...visitor.caller, came: { ...known.came, via: "session" } };
      if (request.method !== "GET" && request.method !== "HEAD")
        requireOurPage(ctx, request, visitor, request.headers.get(csrfHeader));
      return answer(known);
    };
    const response = await respond().catch((error) => {
      if (isRefusal(error)) ctx.audit.refused(actOf(known, "request"), error);
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
  if (csrf === null || !fitsCsrf(visitor, csrf))
    throw new Problem(403, "Your session changed, or your browser blocks cookies. Reload the page.");
}
