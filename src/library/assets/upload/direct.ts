/** The service's own upload URL, for stores that sign none: one PUT of the reserved file. */
import { actionOf } from "../../../core/audit/action.ts";
import { conflict, fileTooLarge, notFound, unsupportedMediaType } from "../../../core/problem.ts";
import { withAuditRow } from "../../../feed/audit-row.ts";
import type { ContentDigest } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import { invalidLink, isValidSignature } from "../files/signed-urls.ts";
import { requireStore } from "./reservation.ts";
import { alreadyUploaded, byUploadUrl } from "./upload-url.ts";

export interface DirectUpload {
  id: string;
  signedExpiry: string;
  type: string | null;
  length: string | null;
  body: AsyncIterable<Uint8Array>;
}

/**
 * Stores the body of a reserved upload, once, at the key of its asset. A key is never written twice, so the
 * URL is spent, and finalizing needs no copy. If the server died before it recorded the upload, sending the
 * same file again records it.
 * @throws 403, 404, 409, 413, 415, 501
 */
export async function receiveUpload(
  ctx: LibraryContext,
  { id, signedExpiry, type, length, body }: DirectUpload,
): Promise<ContentDigest> {
  const store = requireStore(ctx);
  if (!isValidSignature(ctx, "upload", id, signedExpiry)) throw invalidLink();
  const upload = await ctx.data.upload(id);
  if (!upload) throw notFound("This upload was already finalized or has expired.");
  if (type !== upload.content_type)
    throw unsupportedMediaType(`Send the file as Content-Type: ${upload.content_type}, as reserved.`);
  if (upload.length !== null)
    throw conflict("A resumable upload of this file has begun. Resume it, or reserve another upload.");
  const { key } = upload;
  if (upload.size !== null) throw alreadyUploaded();
  if (Number(length) > ctx.config.uploadBytesMax) throw fileTooLarge(ctx.config.uploadBytesMax);
  const size = length !== null && /^\d{1,15}$/.test(length) ? { size: Number(length) } : {};
  const digest = await store.put(key, body, {
    type: upload.content_type,
    maxBytes: ctx.config.uploadBytesMax,
    ...size,
  });
  if (digest === "exists") throw alreadyUploaded();
  const act = actionOf(byUploadUrl, "putUpload");
  await withAuditRow(ctx, { ...act, project: upload.project, target: id }).data.atomically((writes) =>
    writes.finishUpload(id, digest),
  );
  return digest;
}
