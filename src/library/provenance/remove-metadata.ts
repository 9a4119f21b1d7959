/** A version of a file without its metadata, for a file that says more than should be published. */

import type { Caller } from "../../core/auth/caller.ts";
import { conflict } from "../../core/problem.ts";
import type { Edit, FileSource } from "../../files/probe/port.ts";
import type { Provenance } from "../../files/provenance/schema.ts";
import { fileNameOf } from "../assets/files/response-headers.ts";
import { storedFile } from "../assets/files/stored-file.ts";
import { requireAsset } from "../assets/library.ts";
import type { Asset } from "../assets/schema.ts";
import { requireStore } from "../assets/upload/reservation.ts";
import { uploadAsset } from "../assets/upload/upload.ts";
import type { LibraryContext } from "../context.ts";

/**
 * Uploads the same pixels or frames as the next version, with what the file said as metadata of the upload:
 * it stays in the library, and leaves the file. A Problem 409 once the asset is reviewed, for a file that has
 * nothing to remove, and for a video or audio file without ffmpeg.
 */
export async function removeMetadata(ctx: LibraryContext, id: string, caller: Caller): Promise<Asset> {
  const store = requireStore(ctx);
  const asset = await requireAsset(ctx, id, caller);
  if (asset.status !== "pending" || asset.key === null)
    throw conflict(`Only an asset that waits for review can lose its metadata. This one is ${asset.status}.`);
  const { key, size, uploader } = asset;
  const file = storedFile(store, { key, size, owner: uploader ?? undefined });
  const stated = (await ctx.data.provenance(id)).find(({ prompt, model }) => prompt ?? model);
  const metadata = {
    project: asset.project,
    replaces: id,
    tags: asset.tags,
    ...(asset.description !== null && { description: asset.description }),
    ...(stated && givenFields(stated)),
  };
  const filename = fileNameOf({ ...asset, key });
  const upload = (content: AsyncIterable<Uint8Array>) =>
    uploadAsset(ctx, { filename, content, earlyFields: metadata, allFields: async () => metadata }, caller);
  if (asset.kind !== "video" && asset.kind !== "audio")
    return upload(edited(file, await requireEdits(ctx, file, asset.mime)));
  const added = await ctx.probe.withRemuxed(file, asset.mime, (path) => upload(Bun.file(path).stream()));
  if (added) return added;
  throw conflict(
    "Removing metadata from video and audio takes ffmpeg, which is not installed on this server or cannot " +
      "copy this file. Upload another file instead.",
  );
}

async function requireEdits({ probe }: LibraryContext, file: FileSource, mime: string): Promise<Edit[]> {
  const edits = await probe.removalEdits(file, mime);
  if (edits === null)
    throw conflict("Metadata can be removed from images (PNG, JPEG, WebP, GIF), video and audio alone.");
  if (edits.length === 0) throw conflict("This file has no metadata.");
  return edits;
}

/** The fields of an upload that were stated, without those that were not. */
const givenFields = ({ model, prompt, seed, parameters }: Provenance) =>
  Object.fromEntries(
    Object.entries({ model, prompt, seed, parameters }).filter(([, value]) => value !== null),
  ) as Record<string, string>;

const chunkBytes = 2 ** 20;

/** The bytes of a file with the edits applied. */
async function* edited(file: FileSource, edits: readonly Edit[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const { start, end, replacement } of [...edits, endOf(file)]) {
    for (; at < start; at += chunkBytes) yield await file.read(at, Math.min(chunkBytes, start - at));
    if (replacement.length > 0) yield replacement;
    at = end;
  }
}

const endOf = ({ size }: FileSource): Edit => ({ start: size, end: size, replacement: new Uint8Array() });
