/**
 * The names this server answers to. A page elsewhere can point a name of its own at us, so what comes under
 * another is refused.
 */
import type { Config } from "../config.ts";
import { Problem } from "../problem.ts";

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Lets a request through whose `Host`, and whose `Origin` where there is one, are ours; else 403. */
export function requireServedHost(request: Request, config: Pick<Config, "siteUrl" | "allowedHosts">): void {
  if (!serves(config, URL.parse(`http://${hostOf(request)}`)))
    throw new Problem(403, "This host is not allowed. An admin can add it to SVC_ALLOWED_HOSTS.");
  const origin = request.headers.get("origin");
  if (origin !== null && !serves(config, URL.parse(origin)))
    throw new Problem(403, "This origin is not allowed. An admin can add its host to SVC_ALLOWED_HOSTS.");
}

/**
 * Whether a form may come from this origin: the site's own, a host that the configuration allows, or a
 * loopback name on the port that the request came to. A page at another port of this machine is another site.
 */
export function isOwnOrigin(
  request: Request,
  { siteUrl, allowedHosts }: Pick<Config, "siteUrl" | "allowedHosts">,
): boolean {
  const origin = URL.parse(request.headers.get("origin") ?? "");
  if (!origin) return false;
  const named = allowedHosts.map((name) => name.toLowerCase());
  if (origin.origin === URL.parse(siteUrl)?.origin || named.includes(origin.host)) return true;
  const isHere = origin.host === URL.parse(`http://${hostOf(request)}`)?.host;
  return isHere && (loopback.has(origin.hostname) || named.includes(origin.hostname));
}

const hostOf = (request: Request): string =>
  request.headers.get("host") ?? URL.parse(request.url)?.host ?? "";

/** By name alone: a proxy may have another port, and whoever holds a port of this machine is on it. */
function serves(
  { siteUrl, allowedHosts }: Pick<Config, "siteUrl" | "allowedHosts">,
  url: URL | null,
): boolean {
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  if (loopback.has(url.hostname) || url.hostname === URL.parse(siteUrl)?.hostname) return true;
  return allowedHosts.some((name) => name.toLowerCase() === url.hostname || name.toLowerCase() === url.host);
}
