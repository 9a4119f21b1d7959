/**
 * The middleware of every API request: authentication, the rate limit, the response or its problem document,
 * and the headers of every response.
 */

import { actionOf } from "../../core/audit/action.ts";
import { callerFrom } from "../../core/auth/authentication.ts";
import { anonymous, type Caller } from "../../core/auth/caller.ts";
import type { Config } from "../../core/config.ts";
import { clientNetwork } from "../../core/lib/http/client-network.ts";
import { Problem } from "../../core/problem.ts";
import type { Json } from "../../core/rendered-json.ts";
import type { Context } from "../context.ts";

import { rateLimitHeaders } from "./limits/rate-limit.ts";
import { openLimiter } from "./limits/shared-rate-limit.ts";
import { problemResponse } from "./problem-response.ts";
import { conditionalResponse, openResponseCache } from "./response-cache.ts";

/** The part of Bun's server that request handlers use. */
export interface Connection {
  requestIP(request: Request): { address: string } | null;
  timeout(request: Request, seconds: number): void;
}

/** Makes a response from JSON that stays the same until rows change, and may cache it. */
export type CacheResponse = (json: Json<unknown>) => Response;

/**
 * Runs `answer` for the caller of a request. Errors become problem documents.
 */
export type Middleware = (
  request: Request,
  connection: Connection | null,
  answer: (caller: Caller, cacheResponse?: CacheResponse) => Promise<Response> | Response,
) => Promise<Response>;

/** The rate limit of some routes. */
export interface RatePolicy {
  /** Its name in the `RateLimit` headers. */
  name: string;
  /** Distinguishes its counts from those of other limits. */
  counter: string;
  /** How many requests to these routes count as one of `SVC_RATE_LIMIT`. */
  factor: number;
}

const apiPolicy: RatePolicy = { name: "default", counter: "api", factor: 1 };

/** The middleware of the API and of MCP: bearer tokens, rate limit, response cache, CORS. */
export function apiMiddleware(ctx: Context, policy = apiPolicy): Middleware {
  const { config, data } = ctx;
  const allowReads = crossOriginReads(config);
  const cache = openResponseCache(ctx);
  const cachedResponses = ctx.metrics.cachedResponses.of();
  const limit = config.rateLimit && { ...config.rateLimit, quota: config.rateLimit.quota * policy.factor };
  const takeRequest = limit && openLimiter(ctx, limit, policy.counter);
  return async (request, connection, answer) => {
    let rateHeaders: Record<string, string> = {};
    const id = requestIdOf(request);
    let identified: Caller = anonymous;
    const identify = (caller: Caller): Caller => {
      const source = {
        via: caller.source?.via ?? ("api" as const),
        request: id,
        get address() {
          return clientAddress(ctx, request, connection);
        },
      };
      return (identified = { ...caller, source });
    };
    const count = async (caller: Caller): Promise<void> => {
      if (!takeRequest) return;
      const result = await takeRequest(clientOf(ctx, caller, request, connection), ctx.now());
      rateHeaders = rateLimitHeaders(limit, result, policy.name);
      if (!result.allowed)
        throw new Problem(
          429,
          `Rate limit exceeded: ${limit.quota} requests in ${limit.seconds} seconds. ` +
            `Try again in ${result.resetSeconds} seconds.`,
          {
            "retry-after": String(result.resetSeconds),
          },
        );
    };
    const respond = async (): Promise<Response> => {
      const lookup = cache.find(request);
      const { caller: cachedCaller, response } = lookup;
      const caller =
        cachedCaller ??
        (await callerFrom(request.headers.get("authorization"), config, data, ctx.now()).catch(
          async (error) => {
            // an unauthenticated request counts and gets rate-limit headers too
            await count(identify(anonymous));
            throw error;
          },
        ));
      ctx.audit.recordTokenUse(caller.hash);
      await count(identify(caller));
      if (response) {
        cachedResponses.add();
        return conditionalResponse(request, response);
      }
      if (!cachedCaller) cache.cacheCaller(lookup, caller);
      return answer(identified, (json) => cache.cacheResponse(request, lookup, caller, json));
    };
    const response = await respond().catch((error) => {
      if (isRefusal(error)) ctx.audit.recordRefusal(actionOf(identified, "request"), error);
      return problemResponse(ctx, error, pathOf(request.url));
    });
    response.headers.set("x-request-id", id);
    for (const name in rateHeaders) response.headers.set(name, rateHeaders[name] as string);
    allowReads(request, response.headers);
    response.headers.set("x-content-type-options", "nosniff");
    return response;
  };
}

/** Errors that go to the audit log: unauthenticated, forbidden, or over the rate limit. */
export const isRefusal = (error: unknown): error is Problem =>
  error instanceof Problem && [401, 403, 429].includes(error.status);

/** The client's own `X-Request-Id` if it is well-formed, else a new UUID. */
function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && /^[\w.-]{1,64}$/.test(given) ? given : crypto.randomUUID();
}

/** The key that limits count by: the token, or the network of the IP address if there is none. */
export const clientOf = (
  ctx: Context,
  caller: Caller,
  request: Request,
  connection: Connection | null,
): string =>
  caller.name === null
    ? `address ${clientNetwork(clientAddress(ctx, request, connection))}`
    : `token ${caller.hash ?? caller.name}`;

/** The path of a URL as it was sent, without the query. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const end = url.indexOf("?", start);
  return url.slice(start, end < 0 ? undefined : end);
}

/**
 * The IP address of the client: from the proxy's `X-Forwarded-For` if it is trusted, else from the socket.
 */
export function clientAddress(ctx: Context, request: Request, connection: Connection | null): string {
  const forwarded =
    ctx.config.trustProxy && request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim();
  return forwarded || (connection?.requestIP(request)?.address ?? "unknown");
}

/**
 * CORS (Fetch Standard, 3.2): pages of other origins can read the API only if `SVC_CORS_ORIGINS` allows them.
 */
const exposedHeaders =
  "RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, Link, Deprecation, Sunset, ETag, X-Request-Id";

const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

/**
 * Returns a function that adds CORS headers to responses to reads and their preflights. Credentials stay
 * disallowed: browsers never send a bearer token by themselves.
 */
function crossOriginReads({
  corsOrigins,
}: Pick<Config, "corsOrigins">): (request: Request, headers: Headers) => void {
  if (corsOrigins.length === 0) return () => {};
  const isAny = corsOrigins.includes("*");
  return ({ method, headers: requestHeaders }, headers) => {
    const isPreflight = method === "OPTIONS";
    const reads = isPreflight
      ? (headers.get("allow")?.split(", ").filter(isRead) ?? [])
      : [method].filter(isRead);
    if (reads.length === 0) return;
    if (!isAny) headers.append("vary", "Origin");
    const origin = isAny ? "*" : requestHeaders.get("origin");
    if (origin === null || !corsOrigins.includes(origin)) return;
    headers.set("access-control-allow-origin", origin);
    if (!isPreflight) return headers.set("access-control-expose-headers", exposedHeaders);
    headers.set("access-control-allow-methods", reads.join(", "));
    headers.set("access-control-allow-headers", "Authorization, Last-Event-ID");
    headers.set("access-control-max-age", "86400");
  };
}
