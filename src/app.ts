/**
 * The shell: one function from a request to its response. Elysia routes behind it; nothing below knows that
 * it does.
 */
import { Elysia } from "elysia";
import type { Caller } from "./auth/caller.ts";
import type { Context } from "./context.ts";
import { requireServedHost } from "./http/allowed-hosts.ts";
import { apiMiddleware, type Connection, clientAddress, pathOf } from "./http/api-middleware.ts";
import { fileRoutes, receiveSignedUpload, uploadPath } from "./http/file-routes.ts";
import { webhook } from "./http/github-webhook.ts";
import { asGet } from "./http/head-requests.ts";
import { healthRoutes, Readiness } from "./http/health.ts";
import { metricsRoute } from "./http/metrics.ts";
import { mountOperations } from "./http/operation-routes.ts";
import { plainRoute } from "./http/plain-route.ts";
import { problemResponse } from "./http/problem-response.ts";
import { measureRequests } from "./http/request-metrics.ts";
import { boundedStreams } from "./http/streams.ts";
import { paths } from "./info.ts";
import type { mcpHandler } from "./mcp/http.ts";
import { asRpcError } from "./mcp/http-refusal.ts";
import { badRequest } from "./problem.ts";
import { mountSite } from "./site.ts";
import { preflight } from "./well-known/document-route.ts";
import { documentRoutes } from "./well-known/documents.ts";

export type Handler = (request: Request, connection: Connection | null) => Promise<Response>;

export function buildApp(ctx: Context, readiness = new Readiness()): Handler {
  const app = new Elysia({ strictPath: true });
  const door = apiMiddleware(ctx);
  const streams = boundedStreams();
  mountOperations(app, ctx, door, streams);
  const mcp = loadedMcp(ctx);
  const mcpRoute = async ({ request, server }: { request: Request; server: Connection | null }) => {
    const response = await door(request, server, (caller) => {
      requireServedHost(request, ctx.config);
      return mcp(request, { ...caller, source: { ...caller.source, via: "mcp" } });
    });
    return asRpcError(request, response, clientAddress(ctx, request, server));
  };
  app.all(paths.mcp, mcpRoute, { parse: "none" });
  plainRoute(app, ctx, "POST", paths.webhook, webhook(ctx));
  plainRoute(app, ctx, "PUT", uploadPath, (request, connection) =>
    receiveSignedUpload(ctx, request, connection),
  );
  for (const [path, answer] of Object.entries({
    ...healthRoutes(ctx, readiness),
    ...metricsRoute(ctx),
    ...fileRoutes(ctx),
  })) {
    plainRoute(app, ctx, "GET", path, answer);
  }
  for (const [path, answer] of Object.entries(documentRoutes(ctx))) {
    app.route("OPTIONS", path, preflight, { parse: "none" });
    plainRoute(app, ctx, "GET", path, answer);
  }
  plainRoute(app, ctx, "GET", paths.try, async () => (await import("./http/swagger-ui.ts")).tryPage());
  plainRoute(app, ctx, "GET", `${paths.try}/:file`, async (request) =>
    (await import("./http/swagger-ui.ts")).tryFile(request),
  );
  const nothing = mountSite(app, ctx, streams);
  app.all("/*", ({ request }) => nothing(request), { parse: "none" });
  app.compile();

  const answer = async (request: Request): Promise<Response> => {
    try {
      if (request.method !== "HEAD") return await app.fetch(routable(request));
      return await withoutBody(await app.fetch(asGet(routable(request))));
    } catch (error) {
      return problemResponse(ctx, error, URL.canParse(request.url) ? pathOf(request.url) : "/");
    }
  };
  return measureRequests(ctx.metrics, async (request, connection) => {
    app.server = connection as typeof app.server;
    const response = await answer(request);
    // A connection that is kept would be cut off under the next request.
    if (readiness.isStopping) response.headers.set("connection", "close");
    return response;
  });
}

/** The library behind it is large, so it is loaded when somebody first asks. */
function loadedMcp(ctx: Context): (request: Request, caller: Caller) => Promise<Response> {
  let loading: Promise<ReturnType<typeof mcpHandler>> | undefined;
  return async (request, caller) => {
    loading ??= import("./mcp/http.ts").then((module) => module.mcpHandler(ctx));
    return (await loading)(request, caller);
  };
}

/**
 * Elysia looks for the path behind the eleventh character, so with a host shorter than four it would read
 * another one.
 */
function routable(request: Request): Request {
  const { url } = request;
  if (!URL.canParse(url)) throw badRequest("The Host header or the path is not valid.");
  const start = url.indexOf("/", url.indexOf("//") + 2);
  // Not a new request: that one would read the body into memory as it comes.
  return start >= 11
    ? request
    : Object.defineProperty(request, "url", { value: `http://localhost${url.slice(start)}` });
}

/**
 * The answer to HEAD: that of GET with its length; bytes and streams that would have been sent are not read.
 */
async function withoutBody(response: Response): Promise<Response> {
  const { status, headers } = response;
  const isLong = headers.has("content-length") || headers.get("content-type") === "text/event-stream";
  if (isLong) await response.body?.cancel();
  else headers.set("content-length", String((await response.arrayBuffer()).byteLength));
  return new Response(null, { status, headers });
}
