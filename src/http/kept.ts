/** While no row changes, whoever was let in is let in, and answers of reads that everybody polls are not made twice. */
import type { Caller } from "../auth/caller.ts";
import { matches } from "../conditional.ts";
import type { Context } from "../context.ts";
import { editionOf } from "../deprecation.ts";
import { type Micros, secondMicros } from "../time.ts";

interface Kept {
  body: Uint8Array<ArrayBuffer>;
  etag: string;
  at: Micros;
}

/** What is known at the moment of a request. */
interface Known {
  /** That moment, to keep what is found out as of then; null where that cannot be told. */
  edition: number | null;
  /** Whoever came with this token before. */
  caller: Caller | undefined;
  /** What the same request, with the same token, got before, if it still holds. */
  again: Kept | undefined;
}

export interface KeptAnswers {
  find(request: Request): Known;
  /** Keeps who it is, unless somebody saw a later commit. */
  welcome(request: Request, edition: number | null, caller: Caller): void;
  /** The answer to send, kept unless somebody saw a later commit. */
  keep(request: Request, edition: number | null, text: string): Response;
}

/** What an answer says of ages may be so old. */
const keptMicros = secondMicros;
const keptMax = 100;
const callersMax = 1_000;
const bodyBytesMax = 2 ** 18;
const urlLengthMax = 1_000;

export function keepAnswers(ctx: Context): KeptAnswers {
  const { data, now } = ctx;
  const kept = new Map<string, Kept>();
  const callers = new Map<string, Caller>();
  let edition: number | null = null;
  let standing = editionOf(ctx);
  return {
    find(request) {
      const seen = request.method === "GET" ? data.edition() : null;
      if (seen === null) return { edition: null, caller: undefined, again: undefined };
      const stands = editionOf(ctx);
      if (seen !== edition) callers.clear();
      if (seen !== edition || stands !== standing) kept.clear();
      [edition, standing] = [seen, stands];
      const caller = callers.get(tokenOf(request));
      if (!caller || hasEnded(caller, now())) return { edition, caller: undefined, again: undefined };
      const answer = kept.get(keyOf(request));
      return { edition, caller, again: answer && holds(answer, now()) ? answer : undefined };
    },
    welcome(request, seen, caller) {
      if (seen === null || seen !== edition || caller.refused) return;
      if (callers.size >= callersMax) callers.clear();
      callers.set(tokenOf(request), caller);
    },
    keep(request, seen, text) {
      const body = new TextEncoder().encode(text);
      const made = { body, etag: `W/"${Bun.hash(body).toString(36)}"`, at: now() };
      if (seen !== null && seen === edition && body.length <= bodyBytesMax && request.url.length <= urlLengthMax) {
        kept.set(keyOf(request), made);
        const [oldest] = kept.keys();
        if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
      }
      return keptAnswer(request, made);
    },
  };
}

const hasEnded = ({ expiresAt }: Caller, now: Micros): boolean => expiresAt !== null && now >= expiresAt;

const holds = ({ at }: Kept, now: Micros): boolean => now >= at && now < at + keptMicros;

export function keptAnswer(request: Request, { body, etag }: Kept): Response {
  const headers = { etag, "cache-control": "private, no-cache", vary: "Authorization" };
  return matches(request.headers.get("if-none-match"), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers: { ...headers, "content-type": "application/json" } });
}

const tokenOf = ({ headers }: Request): string => headers.get("authorization") ?? "";

const keyOf = (request: Request): string => `${tokenOf(request)} ${request.url}`;
