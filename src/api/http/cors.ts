/**
 * CORS (Fetch Standard, 3.2): pages of other origins can read the API only if `SVC_CORS_ORIGINS` allows them.
 */
import type { Config } from "../../core/config.ts";

const exposedHeaders =
  "RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, Link, Deprecation, Sunset, ETag, X-Request-Id";
const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

/**
 * Returns a function that adds CORS headers to responses to reads and their preflights. Credentials stay
 * disallowed: browsers never send a bearer token by themselves.
 */
export function crossOriginReads({
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
