/** The names this server answers to. A page elsewhere can point a name of its own at us, so what comes under another is refused. */
import type { Config } from "../config.ts";
import { Problem } from "../problem.ts";

const loopback = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** Lets a request through whose `Host`, and whose `Origin` where there is one, are ours; else 403. */
export function requireServedHost(request: Request, config: Pick<Config, "siteUrl" | "allowedHosts">): void {
  const host = request.headers.get("host") ?? URL.parse(request.url)?.host ?? "";
  if (!serves(config, URL.parse(`http://${host}`)))
    throw new Problem(403, "This host is not served here; the operator names others in SVC_ALLOWED_HOSTS.");
  const origin = request.headers.get("origin");
  if (origin !== null && !serves(config, URL.parse(origin))) throw new Problem(403, "Pages of this origin may not ask here.");
}

/** By name alone: a proxy may have another port, and whoever holds a port of this machine is on it. */
function serves({ siteUrl, allowedHosts }: Pick<Config, "siteUrl" | "allowedHosts">, url: URL | null): boolean {
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  if (loopback.has(url.hostname) || url.hostname === URL.parse(siteUrl)?.hostname) return true;
  return allowedHosts.some((name) => name.toLowerCase() === url.hostname || name.toLowerCase() === url.host);
}
