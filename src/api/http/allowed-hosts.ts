/**
 * Host validation against DNS rebinding: another site can point its own hostname at this server, so requests
 * with an unknown `Host` or `Origin` are rejected.
 */
import type { Config } from "../../core/config.ts";
import { forbidden } from "../../core/problem.ts";

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** @throws {Problem} 403 unless `Host`, and `Origin` if present, are allowed */
export function requireServedHost(request: Request, config: Pick<Config, "siteUrl" | "allowedHosts">): void {
  if (!isAllowedHost(config, URL.parse(`http://${hostOf(request)}`)))
    throw forbidden("This host is not allowed. An admin can add it to SVC_ALLOWED_HOSTS.");
  const origin = request.headers.get("origin");
  if (origin !== null && !isAllowedHost(config, URL.parse(origin)))
    throw forbidden("This origin is not allowed. An admin can add its host to SVC_ALLOWED_HOSTS.");
}

/**
 * Whether a form may be submitted from this origin: the site's own, an allowed host, or a loopback name on
 * the port of the request. Another port of this machine is another site.
 */
export function isOwnOrigin(
  request: Request,
  { siteUrl, allowedHosts }: Pick<Config, "siteUrl" | "allowedHosts">,
): boolean {
  const origin = URL.parse(request.headers.get("origin") ?? "");
  if (!origin) return false;
  const allowed = allowedHosts.map((name) => name.toLowerCase());
  if (origin.origin === URL.parse(siteUrl)?.origin || allowed.includes(origin.host)) return true;
  const isSameHost = origin.host === URL.parse(`http://${hostOf(request)}`)?.host;
  return isSameHost && (loopback.has(origin.hostname) || allowed.includes(origin.hostname));
}

const hostOf = (request: Request): string =>
  request.headers.get("host") ?? URL.parse(request.url)?.host ?? "";

/** Compares hostnames and ignores ports: a proxy may use another one. */
function isAllowedHost(
  { siteUrl, allowedHosts }: Pick<Config, "siteUrl" | "allowedHosts">,
  url: URL | null,
): boolean {
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  if (loopback.has(url.hostname) || url.hostname === URL.parse(siteUrl)?.hostname) return true;
  return allowedHosts.some((name) => name.toLowerCase() === url.hostname || name.toLowerCase() === url.host);
}
