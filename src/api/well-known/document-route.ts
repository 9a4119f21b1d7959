/**
 * Request handlers for documents that are the same for every caller: generated on the first request, cached,
 * and served with an ETag for conditional requests (RFC 9110, section 13).
 */
import { boundedByCount, Cache } from "../../core/lib/cache.ts";
import { etagMatches } from "../../core/lib/http/etag.ts";

export type DocumentHandler = (request: Request) => Promise<Response>;

export interface DocumentOptions {
  type: string;
  headers?: Record<string, string>;
}

/** @param edition the document is generated again when it changes */
export function documentHandler(
  make: () => string | Promise<string>,
  edition: () => string,
  { type, headers: more = {} }: DocumentOptions,
): DocumentHandler {
  const cache = new Cache<"document", { text: string; etag: string }>({
    max: 1,
    edition,
    bytesOf: boundedByCount,
  });
  const load = async () => {
    const text = await make();
    const digest = new Bun.CryptoHasher("sha256").update(text).digest("base64url");
    return { text, etag: `"${digest.slice(0, 27)}"` };
  };
  return async (request) => {
    const { etag, text } = await cache.getOrLoad("document", load);
    const headers = {
      etag,
      "content-type": type,
      "cache-control": "public, max-age=3600",
      ...corsHeaders,
      "x-content-type-options": "nosniff",
      ...more,
    };
    return etagMatches(request.headers.get("if-none-match"), etag)
      ? new Response(null, { status: 304, headers })
      : new Response(text, { headers });
  };
}

const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, HEAD",
  "access-control-allow-headers": "Content-Type, If-None-Match",
  "access-control-expose-headers": "ETag, Link, Deprecation, Sunset",
};

/** Answers the CORS preflight that a browser sends before a request with `If-None-Match`. */
export const preflight = (): Response =>
  new Response(null, {
    status: 204,
    headers: { allow: "GET, HEAD, OPTIONS", ...corsHeaders, "access-control-max-age": "86400" },
  });
