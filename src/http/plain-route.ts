/** Routes outside the table of operations. They have no rate limit; errors are problem documents. */
import type { Elysia } from "elysia";
import { actionOf } from "../audit/action.ts";
import { anonymous } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { methodNotAllowed } from "../problem.ts";
import { type Connection, clientAddress, isRefusal, pathOf } from "./api-middleware.ts";
import { problemResponse } from "./problem-response.ts";

export type RouteHandler = (request: Request, connection: Connection | null) => Response | Promise<Response>;

/** Registers `answer` for one method of a path. Other methods get 405. */
export function plainRoute(
  app: Elysia,
  ctx: Context,
  method: "GET" | "POST" | "PUT",
  path: string,
  answer: RouteHandler,
): void {
  const allow = method === "GET" ? "GET, HEAD" : method;
  const withProblems = async (request: Request, connection: Connection | null, work: RouteHandler) => {
    try {
      return await work(request, connection);
    } catch (error) {
      if (isRefusal(error))
        ctx.audit.recordRefusal(
          actionOf(
            { ...anonymous, source: { via: "address", address: clientAddress(ctx, request, connection) } },
            path,
          ),
          error,
        );
      return problemResponse(ctx, error, pathOf(request.url));
    }
  };
  const rejectMethod = (request: Request) => {
    throw methodNotAllowed(request.method, allow);
  };
  app.route(method, path, ({ request, server }) => withProblems(request, server, answer), { parse: "none" });
  app.all(path, ({ request, server }) => withProblems(request, server, rejectMethod), { parse: "none" });
}
