/** Routes outside the table of operations. They have no rate limit; errors are problem documents. */
import type { Elysia } from "elysia";
import { actionOf } from "../../core/audit/action.ts";
import { anonymous } from "../../core/auth/caller.ts";
import { methodNotAllowed } from "../../core/problem.ts";
import type { Context } from "../context.ts";
import { type Connection, clientAddress, isRefusal, pathOf } from "./api-middleware.ts";
import { problemResponse } from "./problem-response.ts";

export type RouteHandler = (request: Request, connection: Connection | null) => Response | Promise<Response>;

type Method = "GET" | "POST" | "PUT";

/** Registers `answer` for one method of a path. Other methods get 405. */
export const plainRoute = (
  app: Elysia,
  ctx: Context,
  method: Method,
  path: string,
  answer: RouteHandler,
): void => plainRoutes(app, ctx, path, { [method]: answer }, method === "GET" ? "GET, HEAD" : method);

/** Registers the handler of each method of a path. Other methods get 405. @param allow the methods */
export function plainRoutes(
  app: Elysia,
  ctx: Context,
  path: string,
  handlers: Record<string, RouteHandler>,
  allow: string,
): void {
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
  for (const [method, answer] of Object.entries(handlers))
    app.route(method, path, ({ request, server }) => withProblems(request, server, answer), {
      parse: "none",
    });
  app.all(path, ({ request, server }) => withProblems(request, server, rejectMethod), { parse: "none" });
}
