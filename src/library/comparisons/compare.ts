/** A background job: compares what was uploaded with the version that was approved last. */
import { canParse } from "../../files/probe/images/image.ts";
import type { PictureChange } from "../../files/probe/likeness/schema.ts";
import type { ComparedFile } from "../../files/probe/port.ts";
import { storedFormat, thumbnailFormats } from "../../files/probe/thumbnails/thumbnail-format.ts";
import { variantKey } from "../../files/stores/keys.ts";
import type { Store } from "../../files/stores/store.ts";
import { storedFile } from "../assets/files/stored-file.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryWrites } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import type { MadeComparison } from "./rows.ts";

/** Compared concurrently. The probe runs as many as there are cores. */
const batchLength = 8;

/** Compares what waits. A version that was reviewed or replaced meanwhile needs no comparison any more. */
export async function compareUploads(ctx: LibraryContext, isRunning: () => boolean): Promise<void> {
  while (isRunning()) {
    const due = await ctx.data.dueComparisons(batchLength);
    if (due.length === 0) return;
    const found = await Promise.all(
      due.map(async (asset) => ({ asset, comparison: await compareWithApproved(ctx, asset) })),
    );
    await ctx.data.atomically(async (writes) => {
      for (const { asset, comparison } of found) await writes.saveComparison(asset.id, comparison);
    });
  }
}

/** Has an upload compared, unless there is nothing to compare it with: then its signature is all to know. */
export async function addComparison(
  writes: LibraryWrites,
  asset: AssetRow,
  signature: string | null,
): Promise<void> {
  const isKnown = !asset.has_thumb || signature !== null;
  const isAlone = isKnown && (await writes.approvedBefore(asset)) === null;
  await writes.addComparison(asset, isAlone ? { signature } : null);
}

async function compareWithApproved(ctx: LibraryContext, asset: AssetRow): Promise<MadeComparison> {
  const nothing = { base: null, change: null, signature: null, hasFailed: false };
  if (asset.status !== "pending") return nothing;
  const base = await ctx.data.approvedBefore(asset);
  try {
    if (base) return { ...nothing, base: base.id, change: await changeOf(ctx, base, asset) };
    return { ...nothing, signature: await signatureOf(ctx, asset) };
  } catch {
    return { ...nothing, base: base?.id ?? null, hasFailed: true };
  }
}

/** @throws what the store throws, and if the probe does not answer */
async function signatureOf({ probe, store }: LibraryContext, asset: AssetRow): Promise<string | null> {
  if (!store || !asset.has_thumb || asset.key === null) return null;
  return answered(await probe.signature(await thumbnailOf(store, asset)));
}

function answered<T>(answer: T | null): T {
  if (answer === null) throw new Error("The image could not be read.");
  return answer;
}

/**
 * Null if nothing is known: of files that cannot be shown as an image, or that were deleted.
 * @throws what the store throws, and if the probe does not answer
 */
async function changeOf(
  { probe, store }: LibraryContext,
  before: AssetRow,
  after: AssetRow,
): Promise<PictureChange | null> {
  if (before.sha256 === after.sha256) return { state: "same", worst: 0, layers: [] };
  if (!store || before.key === null || after.key === null) return null;
  if ([before, after].every(({ kind, mime }) => kind === "image" && canParse(mime)))
    return answered(await probe.compare(await fileOf(store, before), await fileOf(store, after)));
  if (!before.has_thumb || !after.has_thumb) return null;
  // A thumbnail shows one page or frame, and small: it can show a change, not that there is none.
  const change = answered(
    await probe.compare(await thumbnailOf(store, before), await thumbnailOf(store, after)),
  );
  return change.state === "changed" ? change : null;
}

type StoredAsset = Pick<
  AssetRow,
  "key" | "size" | "mime" | "kind" | "width" | "height" | "duration_ms" | "uploader" | "filename" | "title"
>;

export const fileOf = (
  store: Store,
  { key, size, uploader, filename, title, ...found }: StoredAsset,
): ComparedFile => ({
  // safe because: a file without a key is not compared
  source: storedFile(store, { key: key as string, size, owner: uploader ?? undefined }),
  mime: found.mime,
  name: filename ?? title,
  found,
});

/** Of an asset that has one. */
export async function thumbnailOf(store: Store, asset: AssetRow): Promise<ComparedFile> {
  const { id, uploader } = asset;
  const { filename, mime } = thumbnailFormats[storedFormat(asset) ?? "webp"];
  const key = variantKey(id, filename);
  const size = (await store.stat(key))?.size ?? 0;
  return { source: storedFile(store, { key, size, owner: uploader ?? undefined }), mime };
}
