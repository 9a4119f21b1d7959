/**
 * The URL of the server of a database. `svc serve` stores it in the database, and other processes on the
 * database (`svc mcp`, commands) build absolute URLs from it, unless SVC_SITE_URL is set. After a crash it
 * can be stale.
 */
import type { Config } from "./config.ts";
import type { CoreContext } from "./context.ts";

const settingName = "served_at";

type Urls = Pick<Config, "siteUrl" | "contentUrl">;
type Needs = Pick<CoreContext, "config" | "data">;

/** Stores the URLs of this server in the database. */
export async function recordServerUrls({ data, config }: Needs): Promise<void> {
  const { siteUrl, contentUrl } = config;
  const value = JSON.stringify({ siteUrl, contentUrl } satisfies Urls);
  if ((await data.setting(settingName)) !== value)
    await data.atomically((writes) => writes.setSetting(settingName, value));
}

/** Returns the configuration with the URLs of the running server, unless they are configured. */
export async function withServerUrls({ data, config }: Needs): Promise<Config> {
  const value = config.siteIsDerived && !config.mock ? await data.setting(settingName) : null;
  if (value === null) return config;
  const { siteUrl, contentUrl } = JSON.parse(value) as Urls;
  return {
    ...config,
    siteUrl,
    contentUrl: config.contentUrl === config.siteUrl ? contentUrl : config.contentUrl,
  };
}
