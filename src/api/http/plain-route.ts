/** Routes outside the table of operations. They have no rate limit; errors are problem documents. */
import { actionOf } from "../../core/audit/action.ts";
import { anonymous } from "../../core/auth/caller.ts";
import { methodNotAllowed } from "../../core/problem.ts";
import type { Context } from "../context.ts";
import { type Connection, clientAddress, isRefusal, pathOf } from "./api-middleware.ts";
import { problemResponse } from "./problem-response.ts";
import type { RouteHandler, Router } from "./router.ts";

export type PlainHandler = (request: Request, connection: Connection | null) => Response | Promise<Response>;

/** Registers `answer` for GET and HEAD of a path. Other methods get 405. */
export function plainRoute(router: Router, ctx: Context, path: string, answer: PlainHandler): void {
  const handle =
    (work: PlainHandler): RouteHandler =>
    ({ request, server }) =>
      withProblems(ctx, path, request, server, () => work(request, server));
  router.on("GET", path, handle(answer));
  const rejectMethod = handle(({ method }) => {
    throw methodNotAllowed(method, "GET, HEAD");
  });
  router.all(path, rejectMethod);
}

/** The response of `work`, or the problem document of its error. @param path of the route, for the audit log */
export async function withProblems(
  ctx: Context,
  path: string,
  request: Request,
  connection: Connection | null,
  work: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (isRefusal(error)) {
      const source = { via: "address" as const, address: clientAddress(ctx, request, connection) };
      ctx.audit.recordRefusal(actionOf({ ...anonymous, source }, path), error);
    }
    return problemResponse(ctx, error, pathOf(request.url));
  }
}
