/**
 * Routes that are no operations: neither limited nor in the table; errors are problem documents all the same.
 */
import type { Elysia } from "elysia";
import { actOf } from "../audit/action.ts";
import { anonymous } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { Problem } from "../problem.ts";
import { addressOf, type Connection, isRefusal, pathOf } from "./api-middleware.ts";
import { problemResponse } from "./problem-response.ts";

export type Answer = (request: Request, connection: Connection | null) => Response | Promise<Response>;

export function plainRoute(
  app: Elysia,
  ctx: Context,
  method: "GET" | "POST" | "PUT",
  path: string,
  answer: Answer,
): void {
  const allow = method === "GET" ? "GET, HEAD" : method;
  const guarded = async (request: Request, connection: Connection | null, work: Answer) => {
    try {
      return await work(request, connection);
    } catch (error) {
      if (isRefusal(error))
        ctx.audit.refused(
          actOf(
            { ...anonymous, came: { via: "address", address: addressOf(ctx, request, connection) } },
            path,
          ),
          error,
        );
      return problemResponse(ctx, error, pathOf(request.url));
    }
  };
  const refuse = (request: Request) => {
    throw new Problem(405, `${request.method} is not allowed for this path. Allowed: ${allow}.`, { allow });
  };
  app.route(method, path, ({ request, server }) => guarded(request, server, answer), { parse: "none" });
  app.all(path, ({ request, server }) => guarded(request, server, refuse), { parse: "none" });
}
