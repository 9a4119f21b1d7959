/** Resumable uploads: begin, read the offset, and cancel. See `/docs/guide#resume`. */
import { actionOf } from "../../../core/audit/action.ts";
import type { Micros } from "../../../core/lib/time.ts";
import { conflict, fileTooLarge, notFound, Problem } from "../../../core/problem.ts";
import { withAuditRow } from "../../../feed/audit-row.ts";
import { segmentPrefix } from "../../../files/stores/keys.ts";
import { deletePrefix } from "../../../files/stores/objects.ts";
import type { Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import type { UploadRow } from "../../rows.ts";
import { requireStore } from "./reservation.ts";
import { offsetOf, type StartedUpload } from "./segments.ts";
import { uploadLock } from "./upload-lock.ts";
import {
  alreadyUploaded,
  byUploadUrl,
  requireResumableUrl,
  resumableGraceMicros,
  resumableUntil,
} from "./upload-url.ts";

/** The two path segments of a signed upload URL. */
export interface UploadLink {
  id: string;
  signedExpiry: string;
}

export interface UploadProgress {
  offset: number;
  length: number;
  until: Micros;
}

/** Unfinished resumable uploads of one token. */
export const openUploadsMax = 50;

/** Begins an upload. A repeated call of the same length continues it. */
export async function startResumable(
  ctx: LibraryContext,
  link: UploadLink,
  length: number,
): Promise<UploadProgress> {
  const store = requireStore(ctx);
  const upload = await requireUpload(ctx, link);
  if (length > ctx.config.uploadBytesMax) throw fileTooLarge(ctx.config.uploadBytesMax);
  if (upload.size !== null && upload.length === null) throw alreadyUploaded();
  if (upload.length === null) await requireCapacity(ctx, store, upload, length);
  await ctx.data.atomically(async (writes) => {
    // Read again: a concurrent request may have begun it with another length.
    const current = await writes.upload(upload.id);
    const begun = current?.length ?? null;
    if (begun === null) await writes.startUpload(upload.id, { length });
    else if (current?.multipart_id)
      throw conflict("An upload in parts of this file has begun. Continue it, or reserve another upload.");
    else if (begun !== length)
      throw conflict(`This upload was started with ${begun} bytes. Reserve another upload.`);
  });
  return progressOf(ctx, { ...upload, length });
}

/** @throws {Problem} 429 or 507 if this token, or the disk, has no room for another upload */
export async function requireCapacity(
  ctx: LibraryContext,
  store: Store,
  { token }: UploadRow,
  length: number,
): Promise<void> {
  const { count, missingBytes } = await ctx.data.openUploads(token, ctx.now() - resumableGraceMicros);
  if (count >= openUploadsMax)
    throw new Problem(429, `This token has ${openUploadsMax} unfinished uploads. Finalize or cancel one.`, {
      "retry-after": "60",
    });
  const free = await store.freeBytes();
  // Joining the pieces needs the space of the file a second time.
  if (free !== null && free < missingBytes + 2 * length)
    throw new Problem(507, `The server's disk has no space for a file of ${length} bytes.`);
}

/** The offset to continue at. Ends a request that is still writing, as its connection may be dead. */
export async function readProgress(ctx: LibraryContext, link: UploadLink): Promise<UploadProgress> {
  const upload = requireStarted(await requireUpload(ctx, link));
  await uploadLock.interrupt(upload.id);
  return progressOf(ctx, upload);
}

/** How many bytes of a resumable upload have arrived, and until when it can go on. */
export async function progressOf(ctx: LibraryContext, upload: StartedUpload): Promise<UploadProgress> {
  const offset = upload.size ?? offsetOf(await ctx.data.uploadSegments(upload.id));
  return { offset, length: upload.length, until: resumableUntil(upload) };
}

/** Deletes the upload and what was received of it, also one in parts. */
export async function cancelResumable(ctx: LibraryContext, link: UploadLink): Promise<void> {
  const store = requireStore(ctx);
  const upload = await requireUpload(ctx, link);
  const { id, project, key, multipart_id } = upload.multipart_id ? upload : requireStarted(upload);
  await uploadLock.interrupt(id);
  const act = actionOf(byUploadUrl, "cancelUpload");
  await withAuditRow(ctx, { ...act, project, target: id }).data.atomically((writes) =>
    writes.removeUpload(id),
  );
  if (multipart_id) await store.parts?.abort(key, multipart_id);
  await deletePrefix(store, segmentPrefix(id));
}

/**
 * The upload of a signed URL.
 * @throws 403 for an invalid or expired signature, 404 once it is finalized or gone
 */
export async function requireUpload(
  ctx: LibraryContext,
  { id, signedExpiry }: UploadLink,
): Promise<UploadRow> {
  requireResumableUrl(ctx, id, signedExpiry);
  const upload = await ctx.data.upload(id);
  if (!upload) throw notFound("This upload was already finalized, canceled, or has expired.");
  return upload;
}

/** The upload, if its length is known. @throws 404 before its first request */
export function requireStarted(upload: UploadRow): StartedUpload {
  if (upload.length === null || upload.multipart_id !== null)
    throw notFound("This upload has not begun. Send POST with Upload-Length to this URL first.");
  return { ...upload, length: upload.length };
}
