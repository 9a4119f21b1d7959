/** Registers every raw operation as a route of Elysia. */
import type { Elysia } from "elysia";
import { authorize } from "../../core/auth/authorization.ts";
import { anonymous } from "../../core/auth/caller.ts";
import { methodNotAllowed, notImplemented } from "../../core/problem.ts";
import type { Context } from "../context.ts";
import { rawOperations } from "../operations/raw/index.ts";
import type { RawHandler, RawOperation } from "../operations/raw/raw-operation.ts";
import { apiMiddleware, type Connection, type Middleware } from "./api-middleware.ts";
import { isHead } from "./head-requests.ts";
import { withProblems } from "./plain-route.ts";

/** Adds a route for each path. Other methods get 405. */
export function mountRawOperations(app: Elysia, ctx: Context): void {
  const limits = new Map<string, Middleware>();
  for (const [path, rows] of Map.groupBy(rawOperations, (op) => op.path)) {
    const route = path.replace(/\{(\w+)\}/g, ":$1");
    const [first] = rows as [RawOperation];
    const middleware = middlewareOf(ctx, first, limits);
    const handlers = new Map(rows.map((op) => [op.method, { op, handle: handlerOf(ctx, op) }]));
    const rejectMethod: RawHandler = ({ method }) => {
      throw methodNotAllowed(method, rows.map(({ method }) => method).join(", "));
    };
    const answer = async ({ request, server }: { request: Request; server: Connection | null }) => {
      first.prepare?.(request);
      const method = (isHead(request) ? "HEAD" : request.method) as RawOperation["method"];
      const { op, handle } = handlers.get(method) ??
        handlers.get("ALL") ?? { op: rows.find((op) => op.errorHeaders) ?? first, handle: rejectMethod };
      const response = await middleware(request, server, (caller) => handle(request, server, caller));
      return op.finish?.(response, request) ?? response;
    };
    // Programs are given these URLs by hand: a slash behind one means the same.
    for (const one of route.endsWith("*") ? [route] : [route, `${route}/`]) {
      // By name too: another route's wildcard for a method would win over `all`. HEAD arrives as GET.
      for (const { method } of rows)
        app.route(method === "HEAD" ? "GET" : method, one, answer, { parse: "none" });
      app.all(one, answer, { parse: "none" });
    }
  }
}

/** With a token: finds the caller and counts its requests. Operations with the same counter share a limit. */
function middlewareOf(
  ctx: Context,
  { token, path }: RawOperation,
  limits: Map<string, Middleware>,
): Middleware {
  if (!token)
    return (request, connection, answer) =>
      withProblems(ctx, path, request, connection, () => answer(anonymous));
  const { counter } = token.limit;
  const middleware = limits.get(counter) ?? apiMiddleware(ctx, token.limit);
  limits.set(counter, middleware);
  return middleware;
}

function handlerOf(ctx: Context, { token, handler }: RawOperation): RawHandler {
  const handle = handler(ctx);
  if (!token) return handle;
  return (request, connection, caller) => {
    authorize(caller, token.scope, ctx.config);
    if (ctx.config.mock) throw notImplemented("This deployment shows demo data and takes no writes.");
    return handle(request, connection, caller);
  };
}
