/** Bytes against the rows that promise them. */
import { bundleFolder, thumbName } from "../assets/derivatives.ts";
import type { Context } from "../context.ts";
import { secondMicros } from "../lib/time.ts";
import { isBundle } from "../probe/kind.ts";
import type { AssetRow } from "../rows.ts";
import { variantKey } from "../stores/keys.ts";
import { hashObject } from "../stores/objects.ts";
import type { ObjectInfo, OwnedStore, Store } from "../stores/store.ts";
import { type Finding, named, ok, warning, wrong } from "./finding.ts";

type Needs = Pick<Context, "data" | "store" | "publicStore" | "now">;

/** Younger bytes may be on their way to a row. */
const graceMicros = 3_600 * secondMicros;
const pageLength = 200;
/** So many that cannot be read are named, each after a wait; with one more it is the store that cannot. */
const unreadableMax = 10;

/** Objects of a store by the asset that they are of, then by key. */
type Shelf = Map<string, Map<string, ObjectInfo>>;

interface Faults {
  missing: string[];
  changed: string[];
  /** Listed, but not to be had. */
  unreadable: string[];
  /** Without a row, and younger than the database. */
  orphans: string[];
  /** Older than it, or in a store of another deployment. */
  strangers: string[];
}

/** @param deep reads every byte, for its hash */
export async function examineBytes(ctx: Needs, { deep }: { deep: boolean }): Promise<Finding[]> {
  const faults: Faults = { missing: [], changed: [], unreadable: [], orphans: [], strangers: [] };
  const shelves = { private: await shelfOf(ctx.store), public: await shelfOf(ctx.publicStore) };
  let count = 0;
  for await (const asset of assetsOf(ctx)) {
    count++;
    if (ctx.store && asset.key !== null)
      await examinePrivate(ctx, ctx.store, shelves.private, asset, faults, deep);
    if (ctx.publicStore && asset.public_url !== null)
      await examinePublic(ctx.publicStore, shelves.public, asset, faults, deep);
  }
  const birth = await ctx.data.createdAt();
  const isOwn = { private: await belongsHere(ctx.store), public: await belongsHere(ctx.publicStore) };
  for (const place of ["private", "public"] as const)
    for (const [id, objects] of shelves[place])
      await examineRest(ctx, place, id, objects, isOwn[place] ? birth : Infinity, faults);
  const found: Finding[] = [];
  const say = (level: typeof wrong, what: string, names: string[], mend: string) => {
    if (names.length > 0) found.push(level(what, `${named(names.sort())}: ${mend}`));
  };
  say(
    wrong,
    "missing bytes",
    faults.missing,
    "bring these files back from a backup (svc export shows them by their names)",
  );
  say(
    wrong,
    "changed bytes",
    faults.changed,
    "these are not what was uploaded: bring them back from a backup",
  );
  say(
    wrong,
    "unreadable bytes",
    faults.unreadable,
    "look at their owner and rights, at the disk, or at the policy of the bucket",
  );
  say(
    warning,
    "orphans",
    faults.orphans,
    "no row answers for them: the sweep of svc serve removes them, or svc doctor --fix",
  );
  say(
    warning,
    "strangers",
    faults.strangers,
    "in no row of this database, and older than it or in a store that is not its own: if nothing else uses them, delete them by hand",
  );
  const before = new Date((ctx.now() - graceMicros) / 1000);
  const own = [isOwn.private && ctx.store, isOwn.public && ctx.publicStore];
  const left = (await Promise.all(own.map((store) => (store ? store.leftovers(before) : [])))).flat();
  say(
    warning,
    "left half-way",
    left,
    "writes that died: the sweep of svc serve removes them, or svc doctor --fix",
  );
  return found.length > 0
    ? found
    : [ok("bytes", `of ${count} assets are all there${deep ? ", and what was uploaded" : ""}`)];
}

const belongsHere = async (store: OwnedStore | null): Promise<boolean> => (await store?.owner()) === "this";

async function shelfOf(store: Store | null): Promise<Shelf> {
  const shelf: Shelf = new Map();
  if (!store) return shelf;
  for await (const { key, ...info } of store.list("")) {
    const id = key.split("/")[1] as string;
    const objects = shelf.get(id) ?? new Map<string, ObjectInfo>();
    shelf.set(id, objects.set(key, info));
  }
  return shelf;
}

async function* assetsOf({ data }: Needs): AsyncGenerator<AssetRow> {
  for (let after: AssetRow | undefined; ; ) {
    const page = await data.assets(null, { limit: pageLength, ...(after && { after }) });
    yield* page;
    after = page.at(-1);
    if (page.length < pageLength) return;
  }
}

/** What is promised is taken from the shelf: what stays there is in no row. */
async function examinePrivate(
  ctx: Needs,
  store: Store,
  shelf: Shelf,
  asset: AssetRow,
  faults: Faults,
  deep: boolean,
): Promise<void> {
  const { id, size, sha256, has_thumb, bundle_index } = asset;
  const key = asset.key as string;
  const objects = shelf.get(id) ?? new Map<string, ObjectInfo>();
  const variants = [
    ...(has_thumb ? [variantKey(id, thumbName)] : []),
    ...(isBundle(asset) && bundle_index !== null ? [variantKey(id, bundleFolder + bundle_index)] : []),
  ];
  const missing: string[] = [];
  for (const one of [key, ...variants]) if (!objects.has(one) && !(await store.stat(one))) missing.push(one);
  const there = objects.get(key) ?? (await store.stat(key));
  // The time of a version may have come to its end while we looked.
  const isPromised = missing.length === 0 || (await ctx.data.asset(null, id))?.key === key;
  if (isPromised) faults.missing.push(...missing);
  if (there && (there.size !== size || (deep && (await isChanged(store, key, sha256, faults)))))
    faults.changed.push(key);
  if (has_thumb || bundle_index !== null) shelf.delete(id);
  else objects.delete(key);
}

async function examinePublic(
  store: Store,
  shelf: Shelf,
  asset: AssetRow,
  faults: Faults,
  deep: boolean,
): Promise<void> {
  const { id, project, size, sha256, bundle_index } = asset;
  const objects = shelf.get(id) ?? new Map<string, ObjectInfo>();
  const prefix = `${project}/${id}/`;
  if (isBundle(asset)) {
    const index = prefix + bundle_index;
    if (bundle_index === null ? objects.size === 0 : !(objects.has(index) || (await store.stat(index))))
      faults.missing.push(`public ${index}`);
  } else {
    const [[key, info] = []] = [...objects].filter(([name]) => name.startsWith(prefix));
    if (key === undefined || !info) faults.missing.push(`public ${prefix}`);
    else if (info.size !== size || (deep && (await isChanged(store, key, sha256, faults))))
      faults.changed.push(`public ${key}`);
  }
  shelf.delete(id);
}

/**
 * Whether it is not what was uploaded, as far as it can be read. A store that is away altogether is said
 * once, by whoever asked.
 */
async function isChanged(
  store: Store,
  key: string,
  sha256: string,
  { unreadable }: Faults,
): Promise<boolean> {
  try {
    return (await hashObject(store, key))?.sha256 !== sha256;
  } catch (error) {
    if (unreadable.push(key) > unreadableMax) throw error;
    return false;
  }
}

async function examineRest(
  ctx: Needs,
  place: string,
  id: string,
  objects: Map<string, ObjectInfo>,
  /** What is older is of another deployment. */
  birth: number,
  faults: Faults,
): Promise<void> {
  const now = ctx.now();
  for (const [key, { modifiedAt }] of objects) {
    const at = modifiedAt.getTime() * 1000;
    if (at > now - graceMicros || (place === "private" && (await ctx.data.upload(id)))) continue;
    (at < birth ? faults.strangers : faults.orphans).push(place === "public" ? `public ${key}` : key);
  }
}
