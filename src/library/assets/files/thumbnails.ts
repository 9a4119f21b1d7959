/** Thumbnails in the format that a request names: one is made at the upload, PNG when it is first requested. */

import { notFound, unavailable } from "../../../core/problem.ts";
import { withoutMetadata } from "../../../files/probe/kind.ts";
import type { ThumbnailFormatName, UploadFormat } from "../../../files/probe/port.ts";
import { bytesSource } from "../../../files/probe/source.ts";
import { thumbnailFormats } from "../../../files/probe/thumbnails/thumbnail-format.ts";
import { variantKey } from "../../../files/stores/keys.ts";
import type { Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";

/** Returns the format that a thumbnail's filename names; undefined for other names. */
export const thumbnailFormatOf = (filename: string): ThumbnailFormatName | undefined =>
  (Object.keys(thumbnailFormats) as ThumbnailFormatName[]).find(
    (name) => thumbnailFormats[name].filename === filename,
  );

/**
 * Stores the thumbnail of an asset in this format, unless it is stored already.
 * @param stored the format that its upload made
 * @returns its key
 */
export async function storeThumbnail(
  { probe }: Pick<LibraryContext, "probe">,
  store: Store,
  id: string,
  stored: UploadFormat,
  format: ThumbnailFormatName,
): Promise<string> {
  const key = variantKey(id, thumbnailFormats[format].filename);
  if (format === stored || (await store.stat(key))) return key;
  const { filename, mime } = thumbnailFormats[stored];
  const found = await store.get(variantKey(id, filename));
  if (!found) throw notFound("This file has been deleted.");
  const source = bytesSource(await new Response(found.body).bytes());
  // The thumbnail was made by a process that parsed the file, so another such process reads it.
  const thumbnail = await probe.thumbnail(source, withoutMetadata({ kind: "image", mime }), format);
  if (!thumbnail) throw unavailable("This thumbnail cannot be converted at the moment. Try again later.");
  await putThumbnail(store, id, thumbnail, format);
  return key;
}

/** Stores the bytes of a thumbnail. */
export async function putThumbnail(
  store: Store,
  id: string,
  thumbnail: Uint8Array,
  format: ThumbnailFormatName,
): Promise<void> {
  const { filename, mime } = thumbnailFormats[format];
  const options = { type: mime, maxBytes: thumbnail.length };
  await store.put(variantKey(id, filename), inOneChunk(thumbnail), options);
}

export async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
