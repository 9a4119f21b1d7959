/** What a file looks like, for the choice of rejected files that a new one is compared with. */

import { sharedShingles, shingleSketch } from "../../files/probe/likeness/texts/shingles.ts";
import type { Store } from "../../files/stores/store.ts";
import { storedFile } from "../assets/files/stored-file.ts";
import { thumbnailOf } from "../comparisons/compare.ts";
import type { LibraryContext } from "../context.ts";
import type { LibraryReads } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import type { FingerprintRow, RejectedFile } from "./rows.ts";
import { textTypes } from "./schema.ts";

/** Bytes of the beginning of a text that count. */
const textBytes = 16 * 2 ** 10;
/** Files read concurrently, and in one run of the job. */
const [batchLength, runLength] = [8, 400] as const;

type Stored = Pick<AssetRow, "key" | "size" | "mime">;

/** A sketch of a stored text, which takes half a millisecond of CPU; null for other files. */
export async function readWords(store: Store, { key, size, mime }: Stored): Promise<string | null> {
  if (key === null || !textTypes.test(mime)) return null;
  const head = await storedFile(store, { key, size }).read(0, Math.min(textBytes, size));
  return shingleSketch(head, size <= textBytes);
}

/** With the words of those that were rejected a moment ago, before the job has read them. */
export const withWords = (
  data: LibraryReads,
  store: Store,
  rejected: readonly RejectedFile[],
): Promise<RejectedFile[]> =>
  Promise.all(
    rejected.map(async (one) => {
      if (one.words !== null) return one;
      const asset = await data.asset(null, one.id);
      return { ...one, words: asset && (await readWords(store, asset).catch(() => null)) };
    }),
  );

/** Of 64 bits, re-encoding and cropping change fewer; two images of one template may differ as little. */
const bitsMax = 20;
const sharedMin = 0.2;

/** How far apart two files look, from 0 to 1; null where they look different, 1 where it is not known. */
export function distance(one: FingerprintRow, other: FingerprintRow): number | null {
  if (one.words !== null && other.words !== null) {
    const shared = sharedShingles(one.words, other.words);
    return shared < sharedMin ? null : 1 - shared;
  }
  if (one.picture === null || other.picture === null) return 1;
  let different = BigInt(`0x${one.picture}`) ^ BigInt(`0x${other.picture}`);
  let bits = 0;
  for (; different > 0n; different >>= 1n) bits += Number(different & 1n);
  return bits > bitsMax ? null : bits / 64;
}

/**
 * A background job: reads texts that were rejected, and files that were stored before there were
 * fingerprints, some in each run.
 */
export async function fingerprintStored(ctx: LibraryContext, isRunning: () => boolean): Promise<void> {
  for (let count = 0; isRunning() && count < runLength; count += batchLength) {
    const due = await ctx.data.dueFingerprints(batchLength);
    if (due.length === 0) return;
    const found = await Promise.all(
      due.map(async (asset) => ({ id: asset.id, print: await readStored(ctx, asset).catch(() => nothing) })),
    );
    await ctx.data.atomically(async (writes) => {
      for (const { id, print } of found) await writes.saveFingerprint(id, print);
    });
  }
}

const nothing: FingerprintRow = { picture: null, words: null };

/** What the row lacks. */
async function readStored(
  { probe, store }: LibraryContext,
  asset: AssetRow,
): Promise<Partial<FingerprintRow>> {
  if (!store || asset.key === null) return nothing;
  if (textTypes.test(asset.mime)) return { words: await readWords(store, asset) };
  if (!asset.has_thumb) return nothing;
  const { picture } = await probe.inspectWithThumbnail((await thumbnailOf(store, asset)).source);
  return { ...nothing, picture };
}
