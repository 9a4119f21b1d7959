/** What a file looks like, for the choice of rejected files that a new one is compared with. */

import { sharedShingles, shingleSketch } from "../../files/probe/likeness/shingles.ts";
import { limits } from "../../files/probe/limits.ts";
import { storedFile } from "../assets/files/stored-file.ts";
import { thumbnailOf } from "../comparisons/compare.ts";
import type { LibraryContext } from "../context.ts";
import type { AssetRow } from "../rows.ts";
import type { FingerprintRow } from "./rows.ts";

/** Bytes of the beginning of a text that count. */
const textBytes = 16 * 2 ** 10;
/** Files read concurrently, and in one run of the job. */
const [batchLength, runLength] = [8, 400] as const;

export const textTypes = /^text\/|xml$|json$/;

/** @param head the first bytes of the file */
export const wordsOfFile = (mime: string, head: Uint8Array, size: number): string | null =>
  textTypes.test(mime) ? shingleSketch(head.subarray(0, textBytes), size <= textBytes) : null;

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

/** A background job: reads files that were stored before there were fingerprints, some in each run. */
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

async function readStored({ probe, store }: LibraryContext, asset: AssetRow): Promise<FingerprintRow> {
  if (!store || asset.key === null) return nothing;
  if (textTypes.test(asset.mime)) {
    const source = storedFile(store, { key: asset.key, size: asset.size });
    const head = await source.read(0, Math.min(limits.headBytes, asset.size));
    return { ...nothing, words: wordsOfFile(asset.mime, head, asset.size) };
  }
  if (!asset.has_thumb) return nothing;
  const { picture } = await probe.inspectWithThumbnail((await thumbnailOf(store, asset)).source);
  return { ...nothing, picture };
}
