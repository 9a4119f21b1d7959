/** Answers of reads that everybody polls: known again by their bytes, and not made twice while no row changes. */
import type { Caller } from "../auth/caller.ts";
import { matches } from "../conditional.ts";
import type { Context } from "../context.ts";
import { editionOf } from "../deprecation.ts";
import { type Micros, secondMicros } from "../time.ts";

interface Kept {
  caller: Caller;
  body: Uint8Array<ArrayBuffer>;
  etag: string;
  at: Micros;
}

export interface KeptAnswers {
  /** The moment of a request, to keep its answer as of then; and what the same one, with the same token, got before, if it still holds. */
  find(request: Request): { edition: number | null; again: Kept | undefined };
  /** The answer to send, kept unless somebody saw a later commit. */
  keep(request: Request, edition: number | null, caller: Caller, text: string): Response;
}

/** What an answer says of ages may be so old. */
const keptMicros = secondMicros;
const keptMax = 100;
const bodyBytesMax = 2 ** 18;
const urlLengthMax = 1_000;

export function keepAnswers(ctx: Context): KeptAnswers {
  const { data, now } = ctx;
  const kept = new Map<string, Kept>();
  let edition: number | null = null;
  let standing = editionOf(ctx);
  return {
    find(request) {
      const seen = request.method === "GET" ? data.edition() : null;
      if (seen === null) return { edition: null, again: undefined };
      const stands = editionOf(ctx);
      if (seen !== edition || stands !== standing) kept.clear();
      [edition, standing] = [seen, stands];
      const known = kept.get(keyOf(request));
      return { edition, again: known && holds(known, now()) ? known : undefined };
    },
    keep(request, seen, caller, text) {
      const body = new TextEncoder().encode(text);
      const made = { caller, body, etag: `W/"${Bun.hash(body).toString(36)}"`, at: now() };
      if (seen !== null && seen === edition && body.length <= bodyBytesMax && request.url.length <= urlLengthMax) {
        kept.set(keyOf(request), made);
        const [oldest] = kept.keys();
        if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
      }
      return keptAnswer(request, made);
    },
  };
}

const holds = ({ at, caller }: Kept, now: Micros): boolean =>
  now >= at && now < at + keptMicros && (caller.expiresAt === null || now < caller.expiresAt);

export function keptAnswer(request: Request, { body, etag }: Pick<Kept, "body" | "etag">): Response {
  const headers = { etag, "cache-control": "private, no-cache", vary: "Authorization" };
  return matches(request.headers.get("if-none-match"), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers: { ...headers, "content-type": "application/json" } });
}

const keyOf = ({ url, headers }: Request): string => `${headers.get("authorization") ?? ""} ${url}`;
