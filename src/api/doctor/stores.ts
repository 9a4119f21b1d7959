/** Checks of the stores of files. */
import { ulid } from "ulid";
import type { StoreLocation } from "../../core/config.ts";
import { probeKey } from "../../files/stores/keys.ts";
import { probeStore } from "../../files/stores/objects.ts";
import { ownershipWarning } from "../../files/stores/owned-store.ts";
import { allowsBrowserUploads } from "../../files/stores/s3/bucket-cors.ts";
import type { OwnedStore } from "../../files/stores/store.ts";
import type { Context } from "../context.ts";
import { type Finding, ok, warning, wrong } from "./finding.ts";

const noStore = (what: string): Finding[] => [
  warning(what, "none: uploads and publishing are disabled (501)"),
];

/**
 * Writes, reads and deletes an object.
 * @param publicUrl where everyone can read its objects
 */
export async function checkStore(
  what: string,
  place: StoreLocation,
  store: OwnedStore | null,
  publicUrl: string | null = null,
): Promise<Finding[]> {
  if (place === "none" || !store) return noStore(what);
  if (place === "demo") return [ok(what, "demo images, read-only")];
  const location =
    "bucket" in place ? `s3://${place.bucket}${place.prefix && `/${place.prefix}`}` : place.folder;
  try {
    const weaknesses = await probeStore(store, publicUrl);
    return [
      ok(what, `${location}: writes, reads and deletes`),
      ...weaknesses.map((weakness) => warning(what, weakness)),
      ...(await checkOwner(what, store)),
    ];
  } catch (error) {
    const { message, cause } = error as Error & { cause?: Error };
    const fix =
      "bucket" in place
        ? "check S3_ENDPOINT, the credentials and the bucket policy"
        : "check the folder's owner and permissions, and the free space on its disk";
    return [wrong(what, `${location}: ${cause?.message ?? message}; ${fix}`)];
  }
}

/**
 * A store of another deployment is an error: two deployments cannot share a store. A store without a
 * deployment ID, as after an upgrade, is a warning: only deletions are off.
 */
async function checkOwner(what: string, store: OwnedStore): Promise<Finding[]> {
  const owner = await store.owner();
  const why = ownershipWarning(owner);
  if (why === null) return [];
  return [(owner === "other" ? wrong : warning)(what, why)];
}

/** Writes nothing. */
export async function checkStoreResponds(what: string, store: OwnedStore | null): Promise<Finding[]> {
  if (!store) return noStore(what);
  try {
    await store.stat(probeKey(ulid()));
    const why = ownershipWarning(store.lastOwner() ?? (await store.owner()));
    return [why === null ? ok(what, "responds") : warning(what, why)];
  } catch {
    return [wrong(what, "does not respond; run svc doctor on the server for the cause")];
  }
}

/** Checks the CORS rules of the bucket: browsers upload to it directly. */
export async function checkBrowserUpload({
  config,
  store,
}: Pick<Context, "config" | "store">): Promise<Finding[]> {
  const what = "browser upload";
  const allowed = store && (await allowsBrowserUploads(store, config.siteUrl).catch(() => false));
  if (allowed === null) return [];
  if (allowed) return [ok(what, `pages of ${config.siteUrl} can upload to the bucket`)];
  const rule = `AllowedOrigins ${config.siteUrl}, AllowedMethods PUT, AllowedHeaders content-type`;
  return [
    warning(what, `pages of ${config.siteUrl} cannot upload to the bucket; add a CORS rule with ${rule}`),
  ];
}
