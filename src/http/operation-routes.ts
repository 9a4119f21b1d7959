/** The table of operations as routes of Elysia. */
import type { Elysia } from "elysia";
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { retiring } from "../deprecation.ts";
import { paths } from "../info.ts";
import { mediaTypeOf } from "../lib/request-body.ts";
import { httpOperations } from "../operations/index.ts";
import { invoke } from "../operations/invoke.ts";
import type { HttpFacts, Operation } from "../operations/operation.ts";
import { notFound, Problem, unsupportedMediaType } from "../problem.ts";
import { Frames, Json } from "../wire.ts";
import { type CacheResponse, type Connection, clientOf, type Middleware, pathOf } from "./api-middleware.ts";
import { withDeprecationHeaders } from "./deprecation-headers.ts";
import { withoutIdleTimeout } from "./idle-timeout.ts";
import { readInput } from "./operation-input.ts";
import type { Streams } from "./streams.ts";

/** Elysia must neither parse a body (the scope comes first) nor shape an answer. */
const raw = { parse: "none" } as const;

/** The last of them asks nginx not to hold back what comes. */
const streamed = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

type HttpOperation = Operation & { http: HttpFacts };

interface Routed {
  request: Request;
  server: Connection | null;
  /** Absent on a path without any. */
  params?: Record<string, string>;
  keep?: CacheResponse | undefined;
}

/** @param base path before that of each operation */
export function mountOperations(
  app: Elysia,
  ctx: Context,
  door: Middleware,
  streams: Streams,
  base: string = paths.api,
): void {
  for (const [path, rows] of Map.groupBy(httpOperations, (op) => op.http.path)) {
    const route = base + path.replace(/\{(\w+)\}/g, ":$1");
    for (const [method, alternatives] of Map.groupBy(rows, (op) => op.http.method)) {
      const handle = ({ request, server, params = {} }: Routed) => {
        const { id } = meantBy(request, alternatives);
        return withDeprecationHeaders(ctx, id, params, pathOf(request.url), (requireServed) =>
          door(request, server, (caller, keep) => {
            requireServed();
            return answer(alternatives, ctx, caller, streams, { request, server, params, keep });
          }),
        );
      };
      app.route(method, route, handle, raw);
    }
    const other = ({ request, server }: Pick<Routed, "request" | "server">) =>
      door(request, server, () => otherMethod(ctx, request, rows));
    app.all(route, other, raw);
  }
  const unknown = ({ request, server }: Pick<Routed, "request" | "server">) =>
    door(request, server, () => {
      throw notFound(`Path not found: ${pathOf(request.url)}`);
    });
  app.all(base, unknown, raw).all(`${base}/*`, unknown, raw);
}

/** Rows of one method and path have one scope, and are told apart by the type of the body that they take. */
const meantBy = (request: Request, rows: HttpOperation[]): HttpOperation =>
  rows.find(({ http }) => mediaFor(http) === mediaTypeOf(request)) ?? (rows[0] as HttpOperation);

const mediaFor = ({ media }: HttpFacts): string => media ?? "application/json";

async function answer(
  rows: HttpOperation[],
  ctx: Context,
  caller: Caller,
  streams: Streams,
  routed: Required<Routed>,
): Promise<Response> {
  const { request, server, params, keep } = routed;
  const op = meantBy(request, rows);
  const run = () =>
    invoke(op, ctx, caller, () => {
      if (rows.length > 1 && mediaFor(op.http) !== mediaTypeOf(request))
        throw unsupportedMediaType(
          `Send the body as Content-Type: ${rows.map(({ http }) => mediaFor(http)).join(" or ")}.`,
        );
      return readInput(op.http, op.input, request, params);
    });
  const output = await (op.needs ? withoutIdleTimeout(request, server, run) : run());
  if (output instanceof Frames) {
    const stream = streams(clientOf(ctx, caller, request, server), output);
    server?.timeout(request, 0); // heartbeats keep it, an idle time-out would end it
    return new Response(stream, { headers: streamed });
  }
  const text = output instanceof Json ? output.text : JSON.stringify(output);
  if (keep && op.http.revalidates) return keep(text);
  return new Response(text, {
    status: op.http.status ?? 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}

const methodsOf = (rows: readonly HttpOperation[]): string[] => [
  ...new Set(rows.flatMap(({ http }) => (http.method === "GET" ? ["GET", "HEAD"] : [http.method]))),
  "OPTIONS",
];

/**
 * OPTIONS is answered, a preflight of a read by the door; any other method is 405 with the methods that are
 * allowed.
 */
function otherMethod(ctx: Context, request: Request, rows: HttpOperation[]): Response {
  const served = rows.filter((op) => retiring(ctx, "operation", op.id)?.standing !== "removed");
  if (served.length === 0) throw notFound(`Path not found: ${pathOf(request.url)}`);
  const allow = methodsOf(served).join(", ");
  if (request.method !== "OPTIONS")
    throw new Problem(405, `${request.method} is not allowed for this path. Allowed: ${allow}.`, { allow });
  return new Response(null, { status: 204, headers: { allow } });
}
