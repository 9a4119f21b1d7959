/**
 * What every request to the API passes: who asks, the rate limit, the answer or its problem, the fields of
 * every response.
 */
import { actionOf } from "../audit/action.ts";
import { anonymous, type Caller, callerFrom } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { clientNetwork } from "../lib/client-network.ts";
import { Problem } from "../problem.ts";
import { crossOriginReads } from "./cors.ts";
import { problemResponse } from "./problem-response.ts";
import { rateLimitHeaders } from "./rate-limit.ts";
import { conditionalResponse, openResponseCache } from "./response-cache.ts";
import { openLimiter } from "./shared-rate-limit.ts";

/** The part of Bun's server that a request needs. */
export interface Connection {
  requestIP(request: Request): { address: string } | null;
  timeout(request: Request, seconds: number): void;
}

/** Makes the answer of a text that is the same until rows change. */
export type CacheResponse = (text: string) => Response;

export type Middleware = (
  request: Request,
  connection: Connection | null,
  answer: (caller: Caller, keep?: CacheResponse) => Promise<Response> | Response,
) => Promise<Response>;

export function apiMiddleware(ctx: Context): Middleware {
  const { config, data } = ctx;
  const allowReads = crossOriginReads(config);
  const kept = openResponseCache(ctx);
  const keptAnswers = ctx.metrics.cachedResponses.of();
  const limit = config.rateLimit;
  const take = limit && openLimiter(ctx, limit, "api");
  return async (request, connection, answer) => {
    let fields: Record<string, string> = {};
    const id = requestIdOf(request);
    let known: Caller = anonymous;
    const knownAs = (caller: Caller): Caller => {
      const came = {
        via: caller.source?.via ?? ("api" as const),
        request: id,
        get address() {
          return clientAddress(ctx, request, connection);
        },
      };
      return (known = { ...caller, source: came });
    };
    const count = async (caller: Caller): Promise<void> => {
      if (!take) return;
      const taken = await take(clientOf(ctx, caller, request, connection), ctx.now());
      fields = rateLimitHeaders(limit, taken);
      if (!taken.allowed)
        throw new Problem(
          429,
          `Rate limit exceeded: ${limit.quota} requests in ${limit.seconds} seconds. Try again in ${taken.resetSeconds} seconds.`,
          {
            "retry-after": String(taken.resetSeconds),
          },
        );
    };
    const respond = async (): Promise<Response> => {
      const { edition, caller, again } = kept.find(request);
      const asked =
        caller ??
        (await callerFrom(request.headers.get("authorization"), config, data, ctx.now()).catch(
          async (error) => {
            await count(knownAs(anonymous)); // whoever it is: this answer has its fields too
            throw error;
          },
        ));
      ctx.audit.recordTokenUse(asked.hash);
      await count(knownAs(asked));
      if (again) {
        keptAnswers.add();
        return conditionalResponse(request, again);
      }
      if (!caller) kept.cacheCaller(request, edition, asked);
      return answer(known, (text) => kept.cacheResponse(request, edition, asked, text));
    };
    const response = await respond().catch((error) => {
      if (isRefusal(error)) ctx.audit.recordRefusal(actionOf(known, "request"), error);
      return problemResponse(ctx, error, pathOf(request.url));
    });
    response.headers.set("x-request-id", id);
    for (const name in fields) response.headers.set(name, fields[name] as string);
    allowReads(request, response.headers);
    response.headers.set("x-content-type-options", "nosniff");
    return response;
  };
}

/** What somebody may not do, or not so often. */
export const isRefusal = (error: unknown): error is Problem =>
  error instanceof Problem && [401, 403, 429].includes(error.status);

/** Whoever asks may bring an id, by which he finds this request again; else it gets one. */
function requestIdOf(request: Request): string {
  const given = request.headers.get("x-request-id");
  return given !== null && /^[\w.-]{1,64}$/.test(given) ? given : crypto.randomUUID();
}

/** Whom limits count: the token, or, without one, the network of the address. */
export const clientOf = (
  ctx: Context,
  caller: Caller,
  request: Request,
  connection: Connection | null,
): string =>
  caller.name === null
    ? `address ${clientNetwork(clientAddress(ctx, request, connection))}`
    : `token ${caller.hash ?? caller.name}`;

/** The path as it was sent, without query. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  const end = url.indexOf("?", start);
  return url.slice(start, end < 0 ? undefined : end);
}

/** Where a request comes from: the socket, or what the operator's proxy says of it. */
export function clientAddress(ctx: Context, request: Request, connection: Connection | null): string {
  const forwarded =
    ctx.config.trustProxy && request.headers.get("x-forwarded-for")?.split(",").at(-1)?.trim();
  return forwarded || (connection?.requestIP(request)?.address ?? "unknown");
}
