/**
 * Response cache: while no row changes, repeated GET requests reuse the response body; while no token may
 * have changed, all requests reuse the authenticated caller. An entry is valid for the data edition it was
 * made from. A cached caller is a tenth of the CPU of an append (`bun run bench append`).
 */
import type { Caller } from "../../core/auth/caller.ts";
import { deprecationEdition } from "../../core/deprecation.ts";
import { boundedByCount, Cache } from "../../core/lib/cache.ts";
import { corkedBody } from "../../core/lib/http/corked-body.ts";
import { etagMatches } from "../../core/lib/http/etag.ts";
import { type Micros, secondMicros } from "../../core/lib/time.ts";
import type { Json } from "../../core/rendered-json.ts";
import type { Context } from "../context.ts";

interface CachedResponse {
  caller: Caller;
  /** Not its bytes, which every response would copy. */
  body: Blob;
  etag: string;
}

/** What the cache holds for a request. */
interface CacheLookup {
  /** Versions of the data and of the tokens at the time of the request, for new entries; null if unknown. */
  version: number | null;
  tokensVersion: number | null;
  /** The `Authorization` header, which identifies the caller. */
  authorization: string;
  /** Identifies the response. */
  key: string;
  /** The authenticated caller, if cached and still valid. */
  caller: Caller | undefined;
  /** The response to the same URL and token, if cached and still valid. */
  response: CachedResponse | undefined;
}

export interface ResponseCache {
  find(request: Request): CacheLookup;
  /** Caches the caller, unless the tokens have changed since. Invalid tokens are never cached. */
  cacheCaller(lookup: CacheLookup, caller: Caller): void;
  /** Makes the response; caches it on the second request for it, unless the version has changed since. */
  cacheResponse(request: Request, lookup: CacheLookup, caller: Caller, json: Json<unknown>): Response;
}

/** Responses contain ages relative to now, so none is older than a second. */
const maxAgeMicros = secondMicros;
const entriesMax = 100;
const bodyBytesMax = 2 ** 18;
const urlLengthMax = 1_000;
const callersMax = 1_000;
/** Longer than `Bearer` and a token of this service; only extra spaces would exceed it. */
const authorizationLengthMax = 100;

/** The version of all rows; null: unknown. */
export const dataVersion = ({ data }: Pick<Context, "data">): number | null => data.dataVersion();

/** Opens the cache. It has no response after a change of rows or of a deprecation's state. */
export function openResponseCache(ctx: Context): ResponseCache {
  const { data, now } = ctx;
  /** Read once per request: reading them takes longer than looking an entry up. */
  let current: number | null = null;
  let currentTokens: number | null = null;
  /** The version of the data when `currentTokens` was read: while it is current, so is that. */
  let tokensReadAt: number | null = null;
  const edition = () =>
    current === null ? null : `${current} ${deprecationEdition(ctx)} ${Math.floor(now() / maxAgeMicros)}`;
  const callers = new Cache<string, Caller>({
    max: callersMax,
    edition: () => currentTokens,
    bytesOf: boundedByCount,
  });
  const responses = new Cache<string, CachedResponse>({
    max: entriesMax,
    bytesMax: entriesMax * bodyBytesMax,
    bytesOf: ({ body }) => body.size,
    edition,
  });
  /** Keys requested recently. Most URLs are requested once, so a response is cached on the second request. */
  const recentKeys = new Cache<string, true>({ max: entriesMax });
  return {
    find(request) {
      const authorization = request.headers.get("authorization") ?? "";
      const key = `${authorization} ${request.url}`;
      let response: CachedResponse | undefined;
      if (request.method === "GET") {
        current = dataVersion(ctx);
        response = responses.get(key);
      }
      const isFresh = request.method === "GET" && current !== null && current === tokensReadAt;
      if (!response && !isFresh) {
        currentTokens = data.tokensVersion();
        tokensReadAt = request.method === "GET" ? current : null;
      }
      const caller = response?.caller ?? callers.get(authorization);
      const lookup = { version: current, tokensVersion: currentTokens, authorization, key };
      if (caller && hasExpired(caller, now())) return { ...lookup, caller: undefined, response: undefined };
      return { ...lookup, caller, response };
    },
    cacheCaller({ tokensVersion, authorization }, caller) {
      const isCacheable = caller.hash !== undefined && authorization.length <= authorizationLengthMax;
      if (tokensVersion === currentTokens && isCacheable) callers.set(authorization, caller);
    },
    cacheResponse(request, { version, key }, caller, json) {
      const etag = `W/"${Bun.hash(json.text).toString(36)}"`;
      // Without a version the data come over a connection, after the handler returned.
      if (version === null) return conditionalResponse(request, { body: corkedBody(json.text), etag });
      const entry = { caller, body: new Blob([json.text]), etag };
      const isCacheable =
        version === current && entry.body.size <= bodyBytesMax && request.url.length <= urlLengthMax;
      if (isCacheable && recentKeys.get(key)) responses.set(key, entry);
      else recentKeys.set(key, true);
      return conditionalResponse(request, entry);
    },
  };
}

const hasExpired = ({ expiresAt }: Caller, now: Micros): boolean => expiresAt !== null && now >= expiresAt;

/** A JSON response with an `ETag`, or 304 if the client has it (RFC 9110, 13.1.2). */
export function conditionalResponse(
  request: Request,
  { body, etag }: { body: BodyInit; etag: string },
): Response {
  const headers = { etag, "cache-control": "private, no-cache", vary: "Authorization, Accept-Encoding" };
  return etagMatches(request.headers.get("if-none-match"), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers: { ...headers, "content-type": "application/json" } });
}
