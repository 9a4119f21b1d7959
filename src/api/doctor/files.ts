/** Compares the files in the stores with the rows that reference them. */

import { secondMicros } from "../../core/lib/time.ts";
import { isBundle } from "../../files/probe/kind.ts";
import { storedFormat, thumbnailFormats } from "../../files/probe/thumbnails/thumbnail-format.ts";
import { variantKey } from "../../files/stores/keys.ts";
import { hashObject } from "../../files/stores/objects.ts";
import type { ObjectInfo, OwnedStore, Store } from "../../files/stores/store.ts";
import { bundleKey, bundlePrefix } from "../../library/assets/bundles/manifest.ts";
import { isContinued } from "../../library/assets/cleanup/orphan-cleanup.ts";
import type { AssetRow } from "../../library/rows.ts";
import type { Context } from "../context.ts";
import { compareFiles, listAssets, manifestOf } from "./bundles.ts";
import { type Finding, nameSome, ok, warning, wrong } from "./finding.ts";

type Dependencies = Pick<Context, "data" | "store" | "publicStore" | "probe" | "now">;

/** A newer file may belong to an upload whose row is not written yet. */
const graceMicros = 3_600 * secondMicros;
/**
 * Each unreadable file costs a timeout. With more than this, the store itself is unavailable, and the check
 * fails.
 */
const unreadableMax = 10;

/** Objects of a store by asset id, then by key. */
type ObjectsByAsset = Map<string, Map<string, ObjectInfo>>;

/** What can be wrong with files and how to fix it, in the order of the report. */
const faultKinds = {
  missing: {
    level: wrong,
    what: "missing files",
    fix: "restore these files from a backup (svc export writes them by name)",
  },
  changed: {
    level: wrong,
    what: "changed files",
    fix: "these differ from what was uploaded: restore them from a backup",
  },
  /** Files of bundles that are lost, or that differ from the reviewed zip. */
  unpacked: {
    level: wrong,
    what: "bundle files",
    fix:
      "these are lost or differ from the reviewed zip: " +
      "run svc doctor --deep --fix to restore them from it",
  },
  /** Listed by the store, but reading failed. */
  unreadable: {
    level: wrong,
    what: "unreadable files",
    fix: "check their owner and permissions, the disk, or the bucket policy",
  },
  /** Without a row, and newer than the database. */
  orphans: {
    level: warning,
    what: "orphaned files",
    fix: "no asset uses them: svc serve deletes them automatically, or run svc doctor --fix",
  },
  /** Without a row, and older than the database or in a store of another deployment. */
  foreign: {
    level: warning,
    what: "unknown files",
    fix:
      "no asset uses them, and they may belong to another deployment: if nothing else uses them, " +
      "delete them by hand",
  },
  partial: {
    level: warning,
    what: "partial writes",
    fix: "left by interrupted writes: svc serve deletes them automatically, or run svc doctor --fix",
  },
};

type FileFaults = Record<keyof typeof faultKinds, string[]>;

/** What each file of a store is compared with. */
interface Check {
  store: Store;
  byAsset: ObjectsByAsset;
  faults: FileFaults;
  deep: boolean;
}

/**
 * Finds missing, changed, unreadable and orphaned files, and interrupted writes.
 * @param deep also read every file and compare its SHA-256
 */
export async function checkFiles(ctx: Dependencies, { deep }: { deep: boolean }): Promise<Finding[]> {
  const faults: FileFaults = {
    missing: [],
    changed: [],
    unpacked: [],
    unreadable: [],
    orphans: [],
    foreign: [],
    partial: [],
  };
  const objects = { private: await listObjects(ctx.store), public: await listObjects(ctx.publicStore) };
  let count = 0;
  for await (const asset of listAssets(ctx)) {
    count++;
    if (ctx.store && asset.key !== null)
      await checkPrivateFile(ctx, { store: ctx.store, byAsset: objects.private, faults, deep }, asset);
    if (ctx.publicStore && asset.public_url !== null)
      await checkPublicFile(ctx, { store: ctx.publicStore, byAsset: objects.public, faults, deep }, asset);
  }
  const birth = await ctx.data.createdAt();
  const isOwn = { private: await isOwnStore(ctx.store), public: await isOwnStore(ctx.publicStore) };
  for (const place of ["private", "public"] as const)
    for (const [id, leftover] of objects[place])
      await checkUnreferenced(ctx, place, id, leftover, isOwn[place] ? birth : Infinity, faults);
  const before = new Date((ctx.now() - graceMicros) / 1000);
  const own = [isOwn.private && ctx.store, isOwn.public && ctx.publicStore];
  faults.partial = (
    await Promise.all(own.map((store) => (store ? store.listLeftovers(before, isContinued(ctx)) : [])))
  ).flat();
  const found: Finding[] = [];
  for (const [kind, { level, what, fix }] of Object.entries(faultKinds)) {
    const names = faults[kind as keyof FileFaults].sort();
    if (names.length > 0) found.push(level(what, `${nameSome(names)}: ${fix}`));
  }
  return found.length > 0
    ? found
    : [ok("files", `all files of ${count} assets are present${deep ? " and unchanged" : ""}`)];
}

const isOwnStore = async (store: OwnedStore | null): Promise<boolean> => (await store?.owner()) === "this";

async function listObjects(store: Store | null): Promise<ObjectsByAsset> {
  const byAsset: ObjectsByAsset = new Map();
  if (!store) return byAsset;
  for await (const { key, ...info } of store.list("")) {
    const id = key.split("/")[1] as string;
    const objects = byAsset.get(id) ?? new Map<string, ObjectInfo>();
    byAsset.set(id, objects.set(key, info));
  }
  return byAsset;
}

/** Removes what the asset references from `byAsset`: what remains at the end has no row. */
async function checkPrivateFile(ctx: Dependencies, check: Check, asset: AssetRow): Promise<void> {
  const { store, byAsset, faults, deep } = check;
  const { id, size, sha256, bundle_index } = asset;
  const format = storedFormat(asset);
  const files = isBundle(asset) ? await manifestOf(ctx, asset, deep) : null;
  const key = asset.key as string;
  const objects = byAsset.get(id) ?? new Map<string, ObjectInfo>();
  const variants = [
    ...(format ? [variantKey(id, thumbnailFormats[format].filename)] : []),
    ...(isBundle(asset) && bundle_index !== null && !files ? [bundleKey(id, bundle_index)] : []),
  ];
  const missing: string[] = [];
  for (const name of [key, ...variants])
    if (!objects.has(name) && !(await store.stat(name))) missing.push(name);
  const stored = objects.get(key) ?? (await store.stat(key));
  const { damaged, unknown } = await compareFiles(
    store,
    bundlePrefix(id),
    objects,
    files ?? [],
    async (name, hash) => deep && isChanged(store, name, hash, faults),
  );
  // Retention may have deleted this version during the check.
  const isWhole = missing.length + damaged.length === 0;
  const isCurrent = isWhole || (await ctx.data.asset(null, id))?.key === key;
  if (isCurrent) faults.missing.push(...missing);
  if (isCurrent) faults.unpacked.push(...damaged);
  if (files) faults.foreign.push(...unknown);
  if (stored && (stored.size !== size || (deep && (await isChanged(store, key, sha256, faults)))))
    faults.changed.push(key);
  if (format || bundle_index !== null) byAsset.delete(id);
  else objects.delete(key);
}

async function checkPublicFile(ctx: Dependencies, check: Check, asset: AssetRow): Promise<void> {
  const { store, byAsset, faults, deep } = check;
  const { id, project, size, sha256, bundle_index } = asset;
  const objects = byAsset.get(id) ?? new Map<string, ObjectInfo>();
  const prefix = `${project}/${id}/`;
  const files = isBundle(asset) ? await manifestOf(ctx, asset, deep) : null;
  if (files) {
    const { damaged, unknown } = await compareFiles(store, prefix, objects, files, async (key, hash) =>
      deep ? isChanged(store, key, hash, faults) : false,
    );
    faults.unpacked.push(...damaged.map((key) => `public ${key}`));
    faults.foreign.push(...unknown.map((key) => `public ${key}`));
  } else if (isBundle(asset)) {
    const index = prefix + bundle_index;
    if (bundle_index === null ? objects.size === 0 : !(objects.has(index) || (await store.stat(index))))
      faults.missing.push(`public ${index}`);
  } else {
    const [[key, info] = []] = [...objects].filter(([name]) => name.startsWith(prefix));
    if (key === undefined || !info) faults.missing.push(`public ${prefix}`);
    else if (info.size !== size || (deep && (await isChanged(store, key, sha256, faults))))
      faults.changed.push(`public ${key}`);
  }
  byAsset.delete(id);
}

/**
 * Whether the file's SHA-256 differs from the upload's. A file that cannot be read counts as unreadable;
 * after `unreadableMax` of them the store's error is thrown.
 */
async function isChanged(
  store: Store,
  key: string,
  sha256: string,
  { unreadable }: FileFaults,
): Promise<boolean> {
  try {
    return (await hashObject(store, key))?.sha256 !== sha256;
  } catch (error) {
    if (unreadable.push(key) > unreadableMax) throw error;
    return false;
  }
}

async function checkUnreferenced(
  ctx: Dependencies,
  place: string,
  id: string,
  objects: Map<string, ObjectInfo>,
  /** Older files belong to another deployment. In microseconds. */
  birth: number,
  faults: FileFaults,
): Promise<void> {
  const now = ctx.now();
  for (const [key, { modifiedAt }] of objects) {
    const at = modifiedAt.getTime() * 1000;
    if (at > now - graceMicros || (place === "private" && (await ctx.data.upload(id)))) continue;
    (at < birth ? faults.foreign : faults.orphans).push(place === "public" ? `public ${key}` : key);
  }
}
