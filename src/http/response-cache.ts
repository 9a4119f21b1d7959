/**
 * While no row changes, whose token it is need not be found out again, and an answer that everybody polls
 * need not be made twice. The data remembers the rows of tokens for everybody; here a read is also spared
 * hashing, and asking once more what changed.
 */
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import { editionOf } from "../deprecation.ts";
import { forgetOldest } from "../lib/bounded-map.ts";
import { matches } from "../lib/etag.ts";
import { type Micros, secondMicros } from "../lib/time.ts";

interface Kept {
  caller: Caller;
  body: Uint8Array<ArrayBuffer>;
  etag: string;
  at: Micros;
}

/** What is known at the moment of a request. */
interface Known {
  /** That moment, to keep what is found out as of then; null where that cannot be told. */
  edition: number | null;
  /** Who asks, if that was found out before and still holds. */
  caller: Caller | undefined;
  /** What the same request, with the same token, got before, if it still holds. */
  again: Kept | undefined;
}

export interface KeptWhileUnchanged {
  find(request: Request): Known;
  /** Keeps who asks, unless somebody saw a later commit. Nobody who guesses a token is kept. */
  keepCaller(request: Request, edition: number | null, caller: Caller): void;
  /** The answer to send. Kept where the same was asked for lately, unless somebody saw a later commit. */
  keepAnswer(request: Request, edition: number | null, caller: Caller, text: string): Response;
}

/** What an answer says of ages may be so old. */
const keptMicros = secondMicros;
const keptMax = 100;
const textLengthMax = 2 ** 18;
const urlLengthMax = 1_000;
const callersMax = 1_000;
/** A token of ours and the word before it; only blanks would make it longer. */
const authorizationLengthMax = 100;

export function keepWhileUnchanged(ctx: Context): KeptWhileUnchanged {
  const { data, now } = ctx;
  const kept = new Map<string, Kept>();
  /**
   * What was asked for lately, whatever the answer: most pages of long ago are asked for once, and would be
   * copied for nobody.
   */
  const asked = new Set<string>();
  const callers = new Map<string, Caller>();
  let edition: number | null = null;
  let standing = editionOf(ctx);
  return {
    find(request) {
      const seen = request.method === "GET" ? data.dataVersion() : null;
      if (seen === null) return { edition: null, caller: undefined, again: undefined };
      const stands = editionOf(ctx);
      if (seen !== edition) callers.clear();
      if (seen !== edition || stands !== standing) kept.clear();
      [edition, standing] = [seen, stands];
      const known = kept.get(keyOf(request));
      if (known && holds(known, now())) return { edition, caller: known.caller, again: known };
      const caller = callers.get(authorizationOf(request));
      return { edition, caller: caller && !hasEnded(caller, now()) ? caller : undefined, again: undefined };
    },
    keepCaller(request, seen, caller) {
      const authorization = authorizationOf(request);
      if (
        seen === null ||
        seen !== edition ||
        caller.hash === undefined ||
        authorization.length > authorizationLengthMax
      )
        return;
      if (callers.size >= callersMax) callers.clear();
      callers.set(authorization, caller);
    },
    keepAnswer(request, seen, caller, text) {
      const etag = `W/"${Bun.hash(text).toString(36)}"`;
      const key = keyOf(request);
      const isKeepable =
        seen !== null &&
        seen === edition &&
        text.length <= textLengthMax &&
        request.url.length <= urlLengthMax;
      if (!isKeepable || !addedBefore(asked, key)) return keptAnswer(request, { body: text, etag });
      const made = { caller, body: new TextEncoder().encode(text), etag, at: now() };
      kept.set(key, made);
      forgetOldest(kept, keptMax);
      return keptAnswer(request, made);
    },
  };
}

function addedBefore(asked: Set<string>, key: string): boolean {
  const isThere = asked.has(key);
  asked.add(key);
  forgetOldest(asked, keptMax);
  return isThere;
}

const hasEnded = ({ expiresAt }: Caller, now: Micros): boolean => expiresAt !== null && now >= expiresAt;

const holds = ({ at, caller }: Kept, now: Micros): boolean =>
  now >= at && now < at + keptMicros && !hasEnded(caller, now);

export function keptAnswer(
  request: Request,
  { body, etag }: Pick<Kept, "etag"> & { body: Kept["body"] | string },
): Response {
  const headers = { etag, "cache-control": "private, no-cache", vary: "Authorization" };
  return matches(request.headers.get("if-none-match"), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers: { ...headers, "content-type": "application/json" } });
}

const authorizationOf = ({ headers }: Request): string => headers.get("authorization") ?? "";

const keyOf = (request: Request): string => `${authorizationOf(request)} ${request.url}`;
