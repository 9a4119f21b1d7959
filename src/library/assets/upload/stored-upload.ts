/**
 * Moves an uploaded file to the key of its asset, where nothing that a client holds can change it: joins the
 * pieces of a resumable upload, completes an upload in parts, or copies what was sent to a bucket's own URL.
 * A single PUT to the service is there already.
 */

import { SharedWork } from "../../../core/lib/shared-work.ts";
import { conflict, fileTooLarge, notFound, Problem } from "../../../core/problem.ts";
import { pendingKey } from "../../../files/stores/keys.ts";
import { hashObject } from "../../../files/stores/objects.ts";
import type { ContentDigest, Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import type { UploadRow } from "../../rows.ts";
import { deleteAssetFiles } from "../files/derivatives.ts";
import { completeParts } from "./parts.ts";
import { joinSegments } from "./segments.ts";

/** Proxies end a request after 30 to 60 seconds without a response, and inspection follows. */
const waitMs = 20_000;

/** Of this process, by id. Another node does the same work again, with the same result. */
export const storingUploads = new SharedWork<ContentDigest>(waitMs);

/**
 * Returns the digest of the file at its final key. What was found is recorded, so a repeated call continues
 * where this one ended.
 * @throws {Problem} 503 while a large file is still being moved or hashed
 */
export async function storeUpload(
  ctx: LibraryContext,
  store: Store,
  upload: UploadRow,
): Promise<ContentDigest> {
  const { id, project, key, size, sha256, is_final } = upload;
  // A restored backup has the file of an unfinished upload at its pending key.
  if (is_final && size !== null && sha256 !== null && (await store.stat(key))) return { size, sha256 };
  const digest = await storingUploads.run(id, async () => {
    const moved = await moveToKey(ctx, store, upload);
    if (moved.size > ctx.config.uploadBytesMax) {
      deleteAssetFiles(store, project, id).catch(() => {}); // orphan cleanup retries
      throw fileTooLarge(ctx.config.uploadBytesMax);
    }
    await ctx.data.atomically((writes) => writes.finishUpload(id, moved));
    return moved;
  });
  if (digest !== "running") return digest;
  throw new Problem(503, "The file is still being stored. Finalize it again in a moment.", {
    "retry-after": "2",
  });
}

async function moveToKey(ctx: LibraryContext, store: Store, upload: UploadRow): Promise<ContentDigest> {
  const { length, multipart_id } = upload;
  const moved =
    length === null
      ? await copyPending(store, upload)
      : multipart_id === null
        ? await joinSegments(ctx, store, { ...upload, length })
        : await completeParts(store, { ...upload, length, multipart_id });
  if (moved === "exists") throw conflict("A different file was already finalized under this id.");
  return { size: moved.size, sha256: moved.sha256 };
}

/**
 * A file sent to a store's signed URL can be written to again, so the copy is hashed. One from a restored
 * backup is immutable, so its digest holds. Without either, the service may have stored a file at its key and
 * died before it recorded that.
 */
async function copyPending(
  store: Store,
  { id, key, size, sha256 }: UploadRow,
): Promise<ContentDigest | "exists"> {
  const type = "application/octet-stream";
  const known = size !== null && sha256 !== null && { digest: { size, sha256 } };
  const found = (await store.copy(pendingKey(id), key, { type, ...known })) ?? (await hashObject(store, key));
  if (!found) throw notFound("No file was uploaded for this id. PUT it to upload_url first.", "upload");
  return found;
}
