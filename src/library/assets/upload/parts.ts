/** Uploads in parts, sent to the bucket itself: presigned URLs of the parts that are missing. */
import type { Caller } from "../../../core/auth/caller.ts";
import { fromMicros, secondMicros } from "../../../core/lib/time.ts";
import { conflict, fileTooLarge, notFound, notImplemented } from "../../../core/problem.ts";
import { hashObject } from "../../../files/stores/objects.ts";
import type { ContentDigest, PartUploads, ReceivedPart, Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import type { UploadRow } from "../../rows.ts";
import type { PartsInput, UploadParts } from "./parts-schema.ts";
import { requireReserved, requireStore } from "./reservation.ts";
import { requireCapacity } from "./resumable.ts";
import { alreadyUploaded, resumableUntil } from "./upload-url.ts";

/** A lost connection costs at most this much of each part in flight. Larger files get larger parts. */
const partBytesMin = 16 * 2 ** 20;
/** S3 takes this many parts. */
const partsMax = 10_000;
/** Parts in one response. */
const pageParts = 100;
const MiB = 2 ** 20;

/** An upload in parts that has begun. */
type PartedUpload = UploadRow & { length: number; multipart_id: string };

interface PlannedPart {
  number: number;
  offset: number;
  size: number;
}

/** Begins an upload in parts, or continues it: returns URLs for the first of the missing parts. */
export async function requestParts(
  ctx: LibraryContext,
  { id, size }: PartsInput,
  caller: Caller,
): Promise<UploadParts> {
  const store = requireStore(ctx);
  const reserved = await requireReserved(ctx, id, caller);
  const { parts } = store;
  if (!parts) throw notImplemented("This store takes no parts. Send the file to resumable_url, by tus 1.0.");
  if (size > ctx.config.uploadBytesMax) throw fileTooLarge(ctx.config.uploadBytesMax);
  if (reserved.size !== null && reserved.length === null) throw alreadyUploaded();
  const upload = reserved.length === null ? await begin(ctx, store, parts, reserved, size) : reserved;
  if (upload.length !== size)
    throw conflict(`This upload was started with ${upload.length} bytes. Reserve another upload.`);
  const now = ctx.now();
  if (now >= resumableUntil(upload)) throw notFound("This upload has expired. Reserve a new one.", "upload");
  const missing = upload.is_final ? [] : await missingParts(parts, requireParted(upload));
  const until = Math.min(now + ctx.config.uploadSeconds * secondMicros, resumableUntil(upload));
  const expiresSeconds = Math.max(1, Math.floor((until - now) / secondMicros));
  return {
    part_bytes: partBytesOf(size),
    missing: missing.length,
    parts: await Promise.all(
      missing.slice(0, pageParts).map(async (part) => ({
        ...part,
        url: await parts.sign(upload.key, requireParted(upload).multipart_id, part, expiresSeconds),
      })),
    ),
    expires_at: fromMicros(now + expiresSeconds * secondMicros),
  };
}

async function begin(
  ctx: LibraryContext,
  store: Store,
  parts: PartUploads,
  upload: UploadRow,
  length: number,
): Promise<UploadRow> {
  const { id, key } = upload;
  await requireCapacity(ctx, store, upload, length);
  const multipart_id = await parts.begin(key, { type: "application/octet-stream" });
  const begun = await ctx.data.atomically(async (writes) => {
    const current = await writes.upload(id);
    if (current?.length === null) await writes.startUpload(id, { length, multipart_id });
    return current?.length === null ? { ...current, length, multipart_id } : current;
  });
  // Another request was first. After an error, cleanup aborts it: the row may have been committed.
  if (begun?.multipart_id !== multipart_id) parts.abort(key, multipart_id).catch(() => {});
  if (!begun) throw notFound("This upload has expired. Reserve a new one.", "upload");
  return begun;
}

function requireParted(upload: UploadRow): PartedUpload {
  const { length, multipart_id } = upload;
  if (length === null || multipart_id === null)
    throw conflict("A resumable upload of this file has begun. Resume it, or reserve another upload.");
  return { ...upload, length, multipart_id };
}

/**
 * Makes the file of its parts, and hashes what is stored. Their URLs are void afterwards.
 * @throws {Problem} 409 if a part is missing
 */
export async function completeParts(store: Store, upload: PartedUpload): Promise<ContentDigest> {
  const { key, length, multipart_id } = upload;
  const { parts } = store;
  const received = parts && (await parts.list(key, multipart_id));
  if (received) {
    const planned = planParts(length);
    const complete = planned.flatMap((part) => receivedPart(received, part) ?? []);
    if (complete.length < planned.length)
      throw conflict(
        `Only ${complete.length} of ${planned.length} parts were uploaded. Send the others, then finalize.`,
      );
    if (!(await parts.complete(key, multipart_id, complete)))
      throw conflict("A part was sent again while the upload was finalized. Finalize it again.");
  }
  // Without the upload, an earlier call has completed it: only the service writes to this key.
  const digest = await hashObject(store, key);
  if (digest?.size !== length) throw goneFromStore();
  return digest;
}

async function missingParts(parts: PartUploads, upload: PartedUpload): Promise<PlannedPart[]> {
  const received = await parts.list(upload.key, upload.multipart_id);
  if (!received) throw goneFromStore();
  return planParts(upload.length).filter((part) => !receivedPart(received, part));
}

const goneFromStore = () =>
  notFound("The store does not have this upload anymore. Reserve a new one.", "upload");

/** A part of another size does not count: it is sent again. */
const receivedPart = (
  received: ReadonlyMap<number, ReceivedPart>,
  { number, size }: PlannedPart,
): ReceivedPart | null => {
  const part = received.get(number);
  return part?.size === size ? part : null;
};

const partBytesOf = (length: number): number =>
  Math.max(partBytesMin, Math.ceil(length / partsMax / MiB) * MiB);

function planParts(length: number): PlannedPart[] {
  const partBytes = partBytesOf(length);
  return Array.from({ length: Math.ceil(length / partBytes) }, (_, index) => {
    const offset = index * partBytes;
    return { number: index + 1, offset, size: Math.min(partBytes, length - offset) };
  });
}
