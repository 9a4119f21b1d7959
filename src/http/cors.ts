/**
 * Which pages of other sites may read the API: none, unless the configuration names them (Fetch Standard,
 * 3.2).
 */
import type { Config } from "../config.ts";

const exposed =
  "RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, Link, Deprecation, Sunset, ETag, X-Request-Id";
const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

/**
 * Adds the headers of CORS to the answer to a read, and to the preflight of one. A token is never sent by the
 * browser itself.
 */
export function crossOriginReads({
  corsOrigins,
}: Pick<Config, "corsOrigins">): (request: Request, headers: Headers) => void {
  if (corsOrigins.length === 0) return () => {};
  const isAny = corsOrigins.includes("*");
  return ({ method, headers: asked }, headers) => {
    const preflight = method === "OPTIONS";
    const reads = preflight
      ? (headers.get("allow")?.split(", ").filter(isRead) ?? [])
      : [method].filter(isRead);
    if (reads.length === 0) return;
    if (!isAny) headers.append("vary", "Origin");
    const origin = isAny ? "*" : asked.get("origin");
    if (origin === null || !corsOrigins.includes(origin)) return;
    headers.set("access-control-allow-origin", origin);
    if (!preflight) return headers.set("access-control-expose-headers", exposed);
    headers.set("access-control-allow-methods", reads.join(", "));
    headers.set("access-control-allow-headers", "Authorization, Last-Event-ID");
    headers.set("access-control-max-age", "86400");
  };
}
