/**
 * Response cache: while no row changes, repeated GET requests reuse the authenticated caller and the response
 * body. An entry is valid for the data edition it was made from. The data layer caches token rows itself; a
 * hit here also avoids hashing the token and running the operation.
 */
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { deprecationEdition } from "../deprecation.ts";
import { evictOldest } from "../lib/bounded-map.ts";
import { etagMatches } from "../lib/etag.ts";
import { type Micros, secondMicros } from "../lib/time.ts";

interface CachedResponse {
  caller: Caller;
  body: Uint8Array<ArrayBuffer>;
  etag: string;
  storedAt: Micros;
}

/** What the cache holds for a request. */
interface CacheLookup {
  /** Edition of the data at the time of the request, to store new entries under; null if unknown. */
  edition: number | null;
  /** The authenticated caller, if cached and still valid. */
  caller: Caller | undefined;
  /** The response to the same URL and token, if cached and still valid. */
  response: CachedResponse | undefined;
}

export interface ResponseCache {
  find(request: Request): CacheLookup;
  /** Caches the caller, unless the edition has changed since. Invalid tokens are never cached. */
  cacheCaller(request: Request, edition: number | null, caller: Caller): void;
  /** Makes the response; caches it on the second request for it, unless the edition has changed since. */
  cacheResponse(request: Request, edition: number | null, caller: Caller, text: string): Response;
}

/** Responses contain ages relative to now, so an entry expires after a second. */
const entryMicros = secondMicros;
const entriesMax = 100;
const textLengthMax = 2 ** 18;
const urlLengthMax = 1_000;
const callersMax = 1_000;
/** Longer than `Bearer` and a token of this service; only extra spaces would exceed it. */
const authorizationLengthMax = 100;

/** Opens the cache. It is empty after every change of rows or of a deprecation's state. */
export function openResponseCache(ctx: Context): ResponseCache {
  const { data, now } = ctx;
  const responses = new Map<string, CachedResponse>();
  /** Keys requested recently. Most URLs are requested once, so a response is cached on the second request. */
  const recentKeys = new Set<string>();
  const callers = new Map<string, Caller>();
  let edition: number | null = null;
  let deprecations = deprecationEdition(ctx);
  return {
    find(request) {
      const current = request.method === "GET" ? data.dataVersion() : null;
      if (current === null) return { edition: null, caller: undefined, response: undefined };
      const currentDeprecations = deprecationEdition(ctx);
      if (current !== edition) callers.clear();
      if (current !== edition || currentDeprecations !== deprecations) responses.clear();
      [edition, deprecations] = [current, currentDeprecations];
      const response = responses.get(keyOf(request));
      if (response && isValid(response, now())) return { edition, caller: response.caller, response };
      const caller = callers.get(authorizationOf(request));
      const isUsable = caller && !hasExpired(caller, now());
      return { edition, caller: isUsable ? caller : undefined, response: undefined };
    },
    cacheCaller(request, requestEdition, caller) {
      const authorization = authorizationOf(request);
      if (
        requestEdition === null ||
        requestEdition !== edition ||
        caller.hash === undefined ||
        authorization.length > authorizationLengthMax
      )
        return;
      if (callers.size >= callersMax) callers.clear();
      callers.set(authorization, caller);
    },
    cacheResponse(request, requestEdition, caller, text) {
      const etag = `W/"${Bun.hash(text).toString(36)}"`;
      const key = keyOf(request);
      const isCacheable =
        requestEdition !== null &&
        requestEdition === edition &&
        text.length <= textLengthMax &&
        request.url.length <= urlLengthMax;
      if (!isCacheable || !wasRequested(recentKeys, key))
        return conditionalResponse(request, { body: text, etag });
      const entry = { caller, body: new TextEncoder().encode(text), etag, storedAt: now() };
      responses.set(key, entry);
      evictOldest(responses, entriesMax);
      return conditionalResponse(request, entry);
    },
  };
}

/** Whether the key was requested recently. Notes this request. */
function wasRequested(recentKeys: Set<string>, key: string): boolean {
  const isRecent = recentKeys.has(key);
  recentKeys.add(key);
  evictOldest(recentKeys, entriesMax);
  return isRecent;
}

const hasExpired = ({ expiresAt }: Caller, now: Micros): boolean => expiresAt !== null && now >= expiresAt;

const isValid = ({ storedAt, caller }: CachedResponse, now: Micros): boolean =>
  now >= storedAt && now < storedAt + entryMicros && !hasExpired(caller, now);

/** A JSON response with an `ETag`, or 304 if the client has it (RFC 9110, 13.1.2). */
export function conditionalResponse(
  request: Request,
  { body, etag }: Pick<CachedResponse, "etag"> & { body: CachedResponse["body"] | string },
): Response {
  const headers = { etag, "cache-control": "private, no-cache", vary: "Authorization" };
  return etagMatches(request.headers.get("if-none-match"), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers: { ...headers, "content-type": "application/json" } });
}

const authorizationOf = ({ headers }: Request): string => headers.get("authorization") ?? "";

const keyOf = (request: Request): string => `${authorizationOf(request)} ${request.url}`;
