/** Keeps the URL of the running server current in processes that live long, such as `svc mcp`. */
import type { Context } from "../../src/api/context.ts";
import { secondMicros } from "../../src/core/lib/time.ts";
import { notImplemented } from "../../src/core/problem.ts";
import { withServerUrls } from "../../src/core/server-urls.ts";
import { signedUrl } from "../../src/library/assets/files/signed-urls.ts";

/** How often a long-running process looks up the URL of the server. */
const lookupIntervalMs = 1_000;

/**
 * Keeps the URLs of the context current in a process that outlives a restart of the server.
 *
 * @returns a function that updates the URLs
 */
export function trackServerUrl(ctx: Context): () => Promise<void> {
  const own = ctx.config;
  let lookedUpAt = Number.NEGATIVE_INFINITY;
  const lookUp = async () => {
    ctx.config = await withServerUrls({ ...ctx, config: own });
    lookedUpAt = performance.now();
  };
  ctx.locateServer = async () => {
    await lookUp();
    await requireServer(ctx);
    return ctx.config;
  };
  return async () => {
    if (performance.now() - lookedUpAt > lookupIntervalMs) await lookUp();
  };
}

const responseTimeoutMs = 2_000;

/**
 * Throws a 501 if the server does not respond at the URL that it stored. The server of this database answers
 * 404 to a signed URL of an unknown asset; another server rejects the signature with 403. A configured URL is
 * trusted, and uploads to a bucket need no server.
 */
async function requireServer(ctx: Pick<Context, "config" | "secret" | "now">): Promise<void> {
  const { siteIsDerived, assetStore, contentUrl } = ctx.config;
  if (!siteIsDerived || typeof assetStore === "string" || !("folder" in assetStore)) return;
  const url = signedUrl(ctx, "view", "none", "none", Math.ceil(ctx.now() / secondMicros) + 60);
  const isOwnServer = await fetch(url, { signal: AbortSignal.timeout(responseTimeoutMs) }).then(
    ({ status, headers }) => status === 404 && headers.get("content-type") === "application/problem+json",
    () => false,
  );
  if (!isOwnServer)
    throw notImplemented(
      `Uploads need the server of this database, and it does not respond at ${contentUrl}. ` +
        "Ask the user to start `svc serve`, or to set SVC_SITE_URL for `svc mcp` to the URL of the server.",
    );
}
