/**
 * Documents that are the same for everybody: made when they are first asked for, and known again by their
 * bytes (RFC 9110, 13).
 */
import { etagMatches } from "../lib/etag.ts";

export type Answer = (request: Request) => Promise<Response>;

export interface DocumentOptions {
  type: string;
  headers?: Record<string, string>;
}

/** @param edition what was made under another one is made anew */
export function served(
  make: () => string | Promise<string>,
  edition: () => string,
  { type, headers: more = {} }: DocumentOptions,
): Answer {
  let made: { edition: string; text: string; etag: string } | undefined;
  return async (request) => {
    const current = edition();
    if (made?.edition !== current) {
      const text = await make();
      made = {
        edition: current,
        text,
        etag: `"${new Bun.CryptoHasher("sha256").update(text).digest("base64url").slice(0, 27)}"`,
      };
    }
    const { etag, text } = made;
    const headers = {
      ...{ etag, "content-type": type, "cache-control": "public, max-age=3600" },
      ...crossOrigin,
      "x-content-type-options": "nosniff",
      ...more,
    };
    return etagMatches(request.headers.get("if-none-match"), etag)
      ? new Response(null, { status: 304, headers })
      : new Response(text, { headers });
  };
}

const crossOrigin = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD",
  "access-control-allow-headers": "Content-Type, If-None-Match",
  "access-control-expose-headers": "ETag, Link, Deprecation, Sunset",
};

/** What a browser asks before it sends a condition of its own. */
export const preflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: { allow: "GET, HEAD, OPTIONS", ...crossOrigin, "access-control-max-age": "86400" },
  });
