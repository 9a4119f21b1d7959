/** Routes outside the table of operations. They have no rate limit; errors are problem documents. */
import type { Elysia } from "elysia";
import { actionOf } from "../../core/audit/action.ts";
import { anonymous } from "../../core/auth/caller.ts";
import { methodNotAllowed } from "../../core/problem.ts";
import type { Context } from "../context.ts";
import { type Connection, clientAddress, isRefusal, pathOf } from "./api-middleware.ts";
import { problemResponse } from "./problem-response.ts";

export type RouteHandler = (request: Request, connection: Connection | null) => Response | Promise<Response>;

/** Registers `answer` for GET and HEAD of a path. Other methods get 405. */
export function plainRoute(app: Elysia, ctx: Context, path: string, answer: RouteHandler): void {
  const handle =
    (work: RouteHandler) =>
    ({ request, server }: { request: Request; server: Connection | null }) =>
      withProblems(ctx, path, request, server, () => work(request, server));
  app.route("GET", path, handle(answer), { parse: "none" });
  const rejectMethod = handle(({ method }) => {
    throw methodNotAllowed(method, "GET, HEAD");
  });
  app.all(path, rejectMethod, { parse: "none" });
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
