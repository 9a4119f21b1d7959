/** Appends a request body to a resumable upload: what arrives of it is stored, even if it breaks off. */
import { ulid } from "ulid";
import { actionOf } from "../../../core/audit/action.ts";
import { conflict, Problem, tooLarge } from "../../../core/problem.ts";
import { withAuditRow } from "../../../feed/audit-row.ts";
import { segmentKey } from "../../../files/stores/keys.ts";
import type { ByteStream, Store } from "../../../files/stores/store.ts";
import type { LibraryContext } from "../../context.ts";
import type { UploadSegment } from "../../rows.ts";
import { requireStore } from "./reservation.ts";
import {
  progressOf,
  requireStarted,
  requireUpload,
  type UploadLink,
  type UploadProgress,
} from "./resumable.ts";
import { offsetOf, SegmentReader, type StartedUpload } from "./segments.ts";
import { uploadLock } from "./upload-lock.ts";
import { byUploadUrl } from "./upload-url.ts";

/** A body to append. */
export interface Piece {
  offset: number;
  /** In bytes; null for a chunked body. */
  length: number | null;
  checksum: Checksum | null;
  body: ByteStream;
}

export interface Checksum {
  algorithm: ChecksumAlgorithm;
  digest: Buffer;
}

/** tus requires SHA-1. */
export const checksumAlgorithms = ["sha1", "sha256", "sha512", "md5"] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

/** A killed server loses at most this much of a request: each piece is durable before the next. */
const segmentBytes = 16 * 2 ** 20;
/** Bounds the rows and objects of one upload. Larger uploads get larger pieces. */
const segmentsMax = 10_000;

/**
 * @throws {Problem} 409 at another offset than the current one, 413 beyond the announced length, 460 if the
 * checksum differs
 */
export async function appendPiece(
  ctx: LibraryContext,
  link: UploadLink,
  piece: Piece,
): Promise<UploadProgress> {
  const store = requireStore(ctx);
  const { id } = await requireUpload(ctx, link);
  return uploadLock.acquire(id, async (signal) => {
    const upload = requireStarted(await requireUpload(ctx, link));
    await requireOffset(ctx, upload, piece);
    const hash = piece.checksum && new Bun.CryptoHasher(piece.checksum.algorithm);
    const reader = new SegmentReader(piece.body, signal, (bytes) => hash?.update(bytes));
    try {
      if (hash) await storeChecked(ctx, store, upload, piece, reader, () => hash.digest());
      else
        for await (const segment of storeSegments(store, upload, piece.offset, reader))
          await commit(ctx, store, upload, [segment]);
    } finally {
      reader.close();
    }
    if (reader.error)
      throw signal.aborted ? conflict("Another request continues this upload.") : reader.error;
    return progressOf(ctx, upload);
  });
}

async function requireOffset(
  ctx: LibraryContext,
  upload: StartedUpload,
  { offset, length }: Piece,
): Promise<void> {
  const segments = await ctx.data.uploadSegments(upload.id);
  const current = upload.size ?? offsetOf(segments);
  if (offset !== current)
    throw conflict(`The upload continues at ${current}, not at ${offset}. Send HEAD for the offset.`);
  if (offset + (length ?? 0) > upload.length) throw tooLong(upload);
  if (segments.length >= segmentsMax)
    throw conflict(`This upload arrived in ${segmentsMax} requests. Start again, with larger ones.`);
}

/** A body with a checksum counts as a whole or not at all. */
async function storeChecked(
  ctx: LibraryContext,
  store: Store,
  upload: StartedUpload,
  { offset, checksum }: Piece,
  reader: SegmentReader,
  digest: () => Buffer,
): Promise<void> {
  const segments: UploadSegment[] = [];
  try {
    for await (const segment of storeSegments(store, upload, offset, reader)) segments.push(segment);
    if (reader.error) throw reader.error;
    if (!checksum?.digest.equals(digest()))
      throw new Problem(460, "The bytes do not have this checksum. Send them again.");
  } catch (error) {
    discard(store, upload, segments);
    throw error;
  }
  if (segments.length > 0) await commit(ctx, store, upload, segments);
}

/** Stores the body in pieces that are durable when they are yielded. */
async function* storeSegments(
  store: Store,
  upload: StartedUpload,
  offset: number,
  reader: SegmentReader,
): AsyncGenerator<UploadSegment> {
  const bytesMax = Math.max(segmentBytes, Math.ceil((2 * upload.length) / segmentsMax));
  let position = offset;
  while (position < upload.length && (await reader.hasMore())) {
    const maxBytes = Math.min(bytesMax, upload.length - position);
    const segment = await storeSegment(store, upload, position, { source: reader.take(maxBytes), maxBytes });
    position += segment.size;
    if (position === upload.length && (await reader.hasMore())) {
      discard(store, upload, [segment]);
      throw tooLong(upload);
    }
    yield segment;
  }
}

async function storeSegment(
  store: Store,
  { id, content_type: type }: StartedUpload,
  position: number,
  { source, maxBytes }: { source: ByteStream; maxBytes: number },
): Promise<UploadSegment> {
  const name = ulid();
  const digest = await store.put(segmentKey(id, name), source, { type, maxBytes });
  if (digest === "exists") throw conflict("The name generated for this piece is taken. Send it again.");
  return { position, name, ...digest };
}

async function commit(
  ctx: LibraryContext,
  store: Store,
  upload: StartedUpload,
  segments: UploadSegment[],
): Promise<void> {
  const { id, project, length } = upload;
  const act = { ...actionOf(byUploadUrl, "putUpload"), project, target: id };
  const { data } = offsetOf(segments) === length ? withAuditRow(ctx, act) : ctx;
  try {
    await data.atomically(async (writes) => {
      if (!(await writes.addUploadSegments(id, segments)))
        throw conflict("Another request continues this upload. Send HEAD for the offset.");
    });
  } catch (error) {
    // Only a 4xx guarantees that no row exists. After any other error, orphan cleanup decides.
    if (error instanceof Problem && error.status < 500) discard(store, upload, segments);
    throw error;
  }
}

/** Deletes pieces that have no row. Not awaited: orphan cleanup deletes what is left. */
function discard(store: Store, { id }: StartedUpload, segments: UploadSegment[]): void {
  for (const { name } of segments) store.delete(segmentKey(id, name)).catch(() => {});
}

const tooLong = ({ length }: StartedUpload) =>
  tooLarge(`The body goes beyond the ${length} bytes that Upload-Length announced.`);
