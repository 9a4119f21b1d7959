/**
 * Where the server of a database listens: `svc serve` writes it down, and other processes on the database
 * (`svc mcp`, commands) make absolute URLs of it, unless SVC_SITE_URL says otherwise. After a crash it may be
 * out of date.
 */
import { signedUrl } from "../src/assets/signed-urls.ts";
import type { Config } from "../src/config.ts";
import type { Context } from "../src/context.ts";
import type { Data } from "../src/data.ts";
import { secondMicros } from "../src/lib/time.ts";
import { notImplemented } from "../src/problem.ts";

const name = "served_at";

type Urls = Pick<Config, "siteUrl" | "contentUrl">;

export async function recordServedAt(data: Data, { siteUrl, contentUrl }: Urls): Promise<void> {
  const value = JSON.stringify({ siteUrl, contentUrl } satisfies Urls);
  if ((await data.setting(name)) !== value) await data.atomically((writes) => writes.setSetting(name, value));
}

/** The configuration with the URLs of the server, where it names none itself. */
export async function atServer(data: Data, config: Config): Promise<Config> {
  const value = config.siteIsDerived && !config.mock ? await data.setting(name) : null;
  if (value === null) return config;
  const { siteUrl, contentUrl } = JSON.parse(value) as Urls;
  return {
    ...config,
    siteUrl,
    contentUrl: config.contentUrl === config.siteUrl ? contentUrl : config.contentUrl,
  };
}

/** So often a process that runs for long looks where the server is. */
const lookUpMs = 1_000;

/**
 * For a process that may outlive a start or a move of the server. @returns brings the URLs of the context up
 * to date
 */
export function followServer(ctx: Context): () => Promise<void> {
  const own = ctx.config;
  let lookedUpAt = Number.NEGATIVE_INFINITY;
  const lookUp = async () => {
    ctx.config = await atServer(ctx.data, own);
    lookedUpAt = performance.now();
  };
  ctx.locateServer = async () => {
    await lookUp();
    await requireServer(ctx);
    return ctx.config;
  };
  return async () => {
    if (performance.now() - lookedUpAt > lookUpMs) await lookUp();
  };
}

const answerMs = 2_000;

/**
 * Throws where the server is not at the URL that it wrote down. Our own server finds no asset under an id
 * that we sign (404); another one does not accept the signature (403). A URL that was configured is taken as
 * it is, and a bucket needs no server.
 */
async function requireServer(ctx: Pick<Context, "config" | "secret" | "now">): Promise<void> {
  const { siteIsDerived, assetStore, contentUrl } = ctx.config;
  if (!siteIsDerived || typeof assetStore === "string" || !("folder" in assetStore)) return;
  const url = signedUrl(ctx, "view", "none", "none", Math.ceil(ctx.now() / secondMicros) + 60);
  const isOurs = await fetch(url, { signal: AbortSignal.timeout(answerMs) }).then(
    ({ status, headers }) => status === 404 && headers.get("content-type") === "application/problem+json",
    () => false,
  );
  if (!isOurs)
    throw notImplemented(
      `Uploads need the server of this database, and it does not answer at ${contentUrl}. Ask the user to start \`svc serve\`, or to set SVC_SITE_URL for \`svc mcp\` to the server's URL.`,
    );
}
