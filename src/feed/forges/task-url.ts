/** URLs of repositories, issues and pull requests on their forge. */
import type { Config } from "../../core/config.ts";
import { type ForgeName, forges, type RepositoryPlace } from "../../core/forges/schema.ts";
import { asUri } from "../../core/wire.ts";
import { fillTaskUrl } from "../projects/tracker.ts";

type Apis = Pick<Config, "forgeApis">;

/** Sites of the public services, by the hosts of their APIs. */
const sitesOfApis: Record<string, string> = Object.fromEntries(
  Object.values(forges).map(({ api, host }) => [new URL(api.defaultValue).host, `https://${host}`]),
);

/** The origin of the site that the configured API of a forge belongs to. */
function configuredSite({ forgeApis }: Apis, forge: ForgeName): string {
  const { origin, host } = new URL(forgeApis[forge].url);
  return sitesOfApis[host] ?? origin;
}

/**
 * Whether the configured API of the forge is the one of this host. A GitHub project on the default host is on
 * the configured GitHub, be it github.com or an Enterprise server.
 */
export const isConfiguredHost = (
  config: Apis,
  { forge, host }: Pick<RepositoryPlace, "forge" | "host">,
): boolean =>
  (forge === "github" && host === forges.github.host) || new URL(configuredSite(config, forge)).host === host;

/** The URL of a repository's page. */
export function repositoryUrl(config: Apis, { forge, host, repo }: RepositoryPlace): string {
  const site = isConfiguredHost(config, { forge, host }) ? configuredSite(config, forge) : `https://${host}`;
  return `${site}/${repo}`;
}

/** The URL of an issue or task of a tracker or, without one, of a pull request; null if there is none. */
export function taskUrlOn(
  config: Apis,
  place: RepositoryPlace & { task_url?: string | null },
  { issue, pr, task = null }: { issue: number | null; pr: number | null; task?: string | null | undefined },
): string | null {
  if (task !== null) return place.task_url ? asUri(fillTaskUrl(place.task_url, task)) : null;
  const { issues, pulls } = forges[place.forge];
  const path = issue !== null ? `${issues}/${issue}` : pr !== null ? `${pulls}/${pr}` : null;
  return path && `${repositoryUrl(config, place)}/${path}`;
}
