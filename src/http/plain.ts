/** Routes that are no operations: neither limited nor in the table; errors are problem documents all the same. */
import type { Elysia } from "elysia";
import type { Context } from "../context.ts";
import { Problem } from "../problem.ts";
import { pathOf } from "./door.ts";
import { problemResponse } from "./problems.ts";

export type Answer = (request: Request) => Response | Promise<Response>;

export function plainRoute(app: Elysia, ctx: Context, method: "GET" | "POST", path: string, answer: Answer): void {
  const allow = method === "GET" ? "GET, HEAD" : method;
  const guarded = async (request: Request, work: Answer) => {
    try {
      return await work(request);
    } catch (error) {
      return problemResponse(ctx, error, pathOf(request.url));
    }
  };
  const refuse = (request: Request) => {
    throw new Problem(405, `${request.method} is not allowed here; allowed: ${allow}.`, { allow });
  };
  app.route(method, path, ({ request }) => guarded(request, answer), { parse: "none" });
  app.all(path, ({ request }) => guarded(request, refuse), { parse: "none" });
}
