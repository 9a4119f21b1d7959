/** Builds the application: one function from a request to its response. Elysia does the routing. */

import { Elysia } from "elysia";
import type { Context } from "../api/context.ts";
import { requireServedHost } from "../api/http/allowed-hosts.ts";
import { apiMiddleware, type Connection, clientAddress, pathOf } from "../api/http/api-middleware.ts";
import { recentFilesOf } from "../api/http/files/recent-files.ts";
import { fileRoutes } from "../api/http/files/routes.ts";
import { asGet } from "../api/http/head-requests.ts";
import { healthRoutes, Readiness } from "../api/http/monitoring/health.ts";
import { metricsRoute, openRequestMeters } from "../api/http/monitoring/request-metrics.ts";
import { mountOperations } from "../api/http/operations/routes.ts";
import { plainRoute } from "../api/http/plain-route.ts";
import { problemResponse } from "../api/http/problem-response.ts";
import { mountRawOperations } from "../api/http/raw-routes.ts";
import { boundedStreams } from "../api/http/streams.ts";
import type { mcpHandler } from "../api/mcp/http.ts";
import { toRpcError } from "../api/mcp/rpc-errors.ts";
import { takePathToken } from "../api/operations/raw/otlp.ts";
import { documentRoutes, preflight } from "../api/well-known/documents.ts";
import type { Caller } from "../core/auth/caller.ts";
import { paths } from "../core/info.ts";
import { compressResponse } from "../core/lib/http/compression.ts";
import { badRequest } from "../core/problem.ts";
import { mountShares } from "./share-site.ts";
import { mountSite } from "./site.ts";

export type Handler = (request: Request, connection: Connection | null) => Promise<Response>;

/** The request handler of the whole server. @param readiness knows when a graceful shutdown begins */
export function buildApp(ctx: Context, readiness = new Readiness()): Handler {
  const app = new Elysia({ strictPath: true });
  const middleware = apiMiddleware(ctx);
  const streams = boundedStreams();
  mountOperations(app, ctx, middleware, streams);
  const mcp = lazyMcpHandler(ctx);
  const mcpRoute = async ({ request, server }: { request: Request; server: Connection | null }) => {
    const response = await middleware(request, server, (caller) => {
      requireServedHost(request, ctx.config);
      return mcp(request, { ...caller, source: { ...caller.source, via: "mcp" } });
    });
    return toRpcError(request, response, clientAddress(ctx, request, server));
  };
  for (const path of [paths.mcp, `${paths.mcp}/`]) app.all(path, mcpRoute, { parse: "none" });
  mountRawOperations(app, ctx);
  for (const [path, answer] of Object.entries({
    ...healthRoutes(ctx, readiness),
    ...metricsRoute(ctx),
    ...fileRoutes(ctx),
  })) {
    plainRoute(app, ctx, path, answer);
  }
  for (const [path, answer] of Object.entries(documentRoutes(ctx))) {
    app.route("OPTIONS", path, preflight, { parse: "none" });
    plainRoute(app, ctx, path, answer);
  }
  plainRoute(app, ctx, paths.try, async () => (await import("../api/http/swagger-ui/page.ts")).tryPage());
  plainRoute(app, ctx, `${paths.try}/:file`, async (request) =>
    (await import("../api/http/swagger-ui/page.ts")).tryFile(request),
  );
  mountShares(app, ctx);
  const siteNotFound = mountSite(app, ctx, streams);
  app.all("/*", ({ request }) => siteNotFound(request), { parse: "none" });
  app.compile();

  const recentFiles = recentFilesOf(ctx);
  const beginMeasurement = openRequestMeters(ctx.metrics);
  return async (request, connection) => {
    const endMeasurement = beginMeasurement(request);
    app.server = connection as typeof app.server;
    const response = await route(request).catch((error) =>
      problemResponse(ctx, error, URL.canParse(request.url) ? pathOf(request.url) : "/"),
    );
    // The client must not reuse this connection: it closes with the process.
    if (readiness.isStopping) response.headers.set("connection", "close");
    endMeasurement(response);
    return response;
  };

  async function route(request: Request): Promise<Response> {
    const range = recentFiles.smallRange(request);
    if (range) return range;
    takePathToken(request);
    const isHead = request.method === "HEAD";
    const response = await app.fetch(isHead ? asGet(routable(request)) : routable(request));
    const compressed = compressResponse(request, response);
    return isHead ? withoutBody(await compressed) : compressed;
  }
}

/** Loads the MCP library on the first request, as it is large. */
function lazyMcpHandler(ctx: Context): (request: Request, caller: Caller) => Promise<Response> {
  let loading: Promise<ReturnType<typeof mcpHandler>> | undefined;
  return async (request, caller) => {
    loading ??= import("../api/mcp/http.ts").then((module) => module.mcpHandler(ctx));
    return (await loading)(request, caller);
  };
}

/** Answers without a `Host` (HTTP/1.0, or an empty one), as load balancers check. No link depends on it. */
const hostless: ReadonlySet<string> = new Set([paths.health, paths.ready]);

/**
 * Works around Elysia searching for the path from the eleventh character of the URL, which finds the wrong
 * slash if the host has fewer than four characters.
 */
function routable(request: Request): Request {
  const { url } = request;
  if (hostless.has(url)) return withUrl(request, url);
  if (!URL.canParse(url)) throw badRequest("The Host header or the path is not valid.");
  const start = url.indexOf("/", url.indexOf("//") + 2);
  return start >= 11 ? request : withUrl(request, url.slice(start));
}

/** Not a new Request: that would buffer the whole body in memory. */
const withUrl = (request: Request, path: string): Request =>
  Object.defineProperty(request, "url", { value: `http://localhost${path}` });

/** The response to HEAD: that of GET without its body. Files and streams are canceled unread. */
async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  const isUnread = headers.has("content-length") || headers.get("content-type") === "text/event-stream";
  if (isUnread) await response.body?.cancel();
  else headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status, headers });
}
