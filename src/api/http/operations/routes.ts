/** Registers every operation as a route of Elysia. */

import type { Elysia } from "elysia";
import type { Caller } from "../../../core/auth/caller.ts";
import { deprecationHeaders, findDeprecation, requireNotRetired } from "../../../core/deprecation.ts";
import { paths } from "../../../core/info.ts";
import { csvHeaders, rowsToCsv } from "../../../core/lib/csv.ts";
import { prefersType } from "../../../core/lib/http/accept.ts";
import { corkedBody } from "../../../core/lib/http/corked-body.ts";
import { mediaTypeOf } from "../../../core/lib/http/request-body.ts";
import type { HttpBinding, Operation } from "../../../core/operation.ts";
import { methodNotAllowed, notFound, unsupportedMediaType } from "../../../core/problem.ts";
import { Json } from "../../../core/rendered-json.ts";
import { Frames } from "../../../core/wire.ts";
import type { Context } from "../../context.ts";
import { csvRowSchema } from "../../operations/http-operation.ts";
import { httpOperations } from "../../operations/index.ts";
import { invoke } from "../../operations/invoke.ts";
import { type CacheResponse, type Connection, clientOf, type Middleware, pathOf } from "../api-middleware.ts";

import { withoutIdleTimeout } from "../limits/idle-timeout.ts";
import type { Streams } from "../streams.ts";
import { readInput } from "./input.ts";

/** Elysia must not parse the body: the scope is checked first. */
const raw = { parse: "none" } as const;

/** Headers of an SSE response. `X-Accel-Buffering: no` turns off buffering in nginx. */
const streamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

type HttpOperation = Operation & { http: HttpBinding };

interface RouteContext {
  request: Request;
  server: Connection | null;
  /** Absent on a path without parameters. */
  params?: Record<string, string>;
  cacheResponse?: CacheResponse | undefined;
}

/** Adds a route for each operation, 405 for other methods and 404 for other paths. @param base path prefix */
export function mountOperations(
  app: Elysia,
  ctx: Context,
  middleware: Middleware,
  streams: Streams,
  base: string = paths.api,
): void {
  for (const [path, rows] of Map.groupBy(httpOperations, (op) => op.http.path)) {
    const route = base + path.replace(/\{(\w+)\}/g, ":$1");
    for (const [method, alternatives] of Map.groupBy(rows, (op) => op.http.method)) {
      const handle = async ({ request, server, params = {} }: RouteContext) => {
        const path = pathOf(request.url);
        const deprecation = deprecationOf(ctx, selectByMediaType(request, alternatives).id, path);
        const response = await middleware(request, server, (caller, cacheResponse) => {
          // After the rate limit, and before the input is read.
          requireNotRetired(deprecation, path);
          return answer(alternatives, ctx, caller, streams, { request, server, params, cacheResponse });
        });
        if (deprecation) addDeprecationHeaders(response, deprecation, params);
        return response;
      };
      app.route(method, route, handle, raw);
    }
    const otherMethods = ({ request, server }: Pick<RouteContext, "request" | "server">) =>
      middleware(request, server, () => rejectMethod(ctx, request, rows));
    app.all(route, otherMethods, raw);
  }
  const unknown = ({ request, server }: Pick<RouteContext, "request" | "server">) =>
    middleware(request, server, () => {
      throw notFound(`Path not found: ${pathOf(request.url)}`);
    });
  app.all(base, unknown, raw).all(`${base}/*`, unknown, raw);
}

/** Operations with the same method and path have the same scope and differ in the media type of the body. */
function selectByMediaType(request: Request, rows: HttpOperation[]): HttpOperation {
  const [first, ...others] = rows as [HttpOperation, ...HttpOperation[]];
  if (others.length === 0) return first;
  const mediaType = mediaTypeOf(request);
  return rows.find(({ http }) => mediaTypeFor(http) === mediaType) ?? first;
}

const mediaTypeFor = ({ media }: HttpBinding): string => media ?? "application/json";

async function answer(
  rows: HttpOperation[],
  ctx: Context,
  caller: Caller,
  streams: Streams,
  context: Required<RouteContext>,
): Promise<Response> {
  const { request, server, params, cacheResponse } = context;
  const op = selectByMediaType(request, rows);
  const read = () => {
    if (rows.length > 1 && mediaTypeFor(op.http) !== mediaTypeOf(request))
      throw unsupportedMediaType(
        `Send the body as Content-Type: ${rows.map(({ http }) => mediaTypeFor(http)).join(" or ")}.`,
      );
    return readInput(op.http, op.input, request, params);
  };
  const run = () => invoke(op, ctx, caller, read, { signal: request.signal });
  const output = await (op.needs ? withoutIdleTimeout(request, server, run) : run());
  if (output instanceof Frames) {
    const stream = streams(clientOf(ctx, caller, request, server), output);
    server?.timeout(request, 0); // the idle timeout would close a quiet stream; heartbeats detect dead ones
    return new Response(stream, { headers: streamHeaders });
  }
  if (op.http.csv && prefersType(request.headers.get("accept"), "text/csv", "application/json"))
    return new Response(
      rowsToCsv(csvRowSchema(op), (output as Record<string, object[]>)[op.http.csv] ?? []),
      {
        headers: { ...csvHeaders(), vary: "Accept" },
      },
    );
  const json = output instanceof Json ? output : new Json(JSON.stringify(output));
  if (cacheResponse && op.http.revalidates) return cacheResponse(json);
  return new Response(corkedBody(json.text), {
    status: op.http.status ?? 200,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...(op.http.csv && { vary: "Accept" }),
    },
  });
}

const methodsOf = (rows: readonly HttpOperation[]): string[] => [
  ...new Set(rows.flatMap(({ http }) => (http.method === "GET" ? ["GET", "HEAD"] : [http.method]))),
  "OPTIONS",
];

/** Answers OPTIONS with `Allow`; the middleware adds CORS headers to a preflight. Other methods get 405. */
function rejectMethod(ctx: Context, request: Request, rows: HttpOperation[]): Response {
  const available = rows.filter((op) => findDeprecation(ctx, "operation", op.id)?.state !== "removed");
  if (available.length === 0) throw notFound(`Path not found: ${pathOf(request.url)}`);
  const allow = methodsOf(available).join(", ");
  if (request.method !== "OPTIONS") throw methodNotAllowed(request.method, allow);
  return new Response(null, { status: 204, headers: { allow } });
}

/** `Deprecation`, `Sunset` and `Link` headers of deprecated operations; 410 after the sunset. */
type Row = NonNullable<ReturnType<typeof findDeprecation>>;

/** The deprecation of an operation. Routes of the website have none: it is released with the server. */
const deprecationOf = (ctx: Context, operationId: string, path: string): Row | null =>
  path.startsWith(`${paths.api}/`) ? findDeprecation(ctx, "operation", operationId) : null;

/** Adds the headers to the response of an operation that is still served. */
function addDeprecationHeaders(response: Response, row: Row, params: Record<string, string>): void {
  if (row.state === "removed") return;
  const replacement = row.replacement === null ? null : replacementUrl(row.replacement, params);
  const headers = deprecationHeaders(row, paths.versioning, replacement);
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
}

/** URL of the replacement with the parameters filled in, or of its documentation if one is unknown. */
function replacementUrl(replacement: string, params: Record<string, string>): string {
  const path = httpOperations.find((op) => op.id === replacement)?.http.path;
  const filled = path?.replace(/\{(\w+)\}/g, (blank, name: string) =>
    params[name] === undefined ? blank : encodeURIComponent(params[name]),
  );
  return filled === undefined || filled.includes("{") ? `${paths.docs}#${replacement}` : paths.api + filled;
}
