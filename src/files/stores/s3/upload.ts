/**
 * Uploads an object to a bucket: with one PUT if it is small, else as a multipart upload. It becomes visible
 * when complete, and only if its key is free.
 */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
} from "@aws-sdk/client-s3";
import { HashingWriter, hashBlock } from "../disk/worker-pool.ts";
import type { ByteStream, ContentDigest, CopyOptions, JoinedObject, PutOptions } from "../store.ts";
import { splitIntoBlocks } from "../upload-stream.ts";
import type { CallOptions, S3Client } from "./client.ts";
import { Rejected, requireValue } from "./errors.ts";
import { joinedParts } from "./join.ts";
import {
  blockParts,
  copyParts,
  type HashedBlock,
  type SendPart,
  type Snapshot,
  signedHash,
} from "./parts.ts";

/** S3 takes 10,000 parts. */
const partsMax = 10_000;
/** Parts in memory: one is filled while the others are sent. More would only cost memory. */
const parallelParts = 3;
/** Parts that the bucket copies at a time: they hide its latency. */
const parallelCopies = 8;

/** Objects are immutable: write only if the key is free (RFC 9110, section 13.1.2). */
export const ifAbsent = { IfNoneMatch: "*" };
/** The key is taken, or a concurrent write to it is in progress. */
const conflictStatuses = [409, 412];
/** The same in a response whose status was sent before the work was done. */
const conflictCodes = ["PreconditionFailed", "ConditionalRequestConflict"];

/** "unclear": the key holds an object, which may be identical or not. */
export type UploadOutcome = "stored" | "unclear";

export interface Uploads {
  /** Ids of the multipart uploads in progress in this process. */
  readonly liveUploads: ReadonlySet<string>;
  send(
    key: string,
    source: ByteStream,
    options: PutOptions,
  ): Promise<{ digest: ContentDigest; outcome: UploadOutcome }>;
  /** Copies within the bucket, without transferring the object. Throws `CopyStopped`. */
  copy(from: Snapshot, to: string, options: CopyOptions): Promise<UploadOutcome>;
  /** Joins objects, of which only small ranges are transferred. Throws `CopyStopped`. */
  join(sources: JoinedObject[], to: string, options: CopyOptions): Promise<UploadOutcome>;
  abandon(key: string, uploadId: string): Promise<void>;
}

export function s3Uploads(client: S3Client): Uploads {
  const live = new Set<string>();

  async function uploadParts(
    key: string,
    metadata: Metadata,
    cancellation: Cancellation,
    parts: AsyncIterable<SendPart>,
    { parallel, size }: { parallel: number; size(): number },
  ): Promise<UploadOutcome> {
    const { signal } = cancellation;
    const target = client.target(key);
    const started = await client.send(new CreateMultipartUploadCommand({ ...target, ...metadata }), {
      signal,
    });
    const uploadId = requireValue(started.UploadId);
    const sending: Promise<string>[] = [];
    live.add(uploadId);
    try {
      for await (const sendPart of parts) {
        const sent = sendPart({ ...target, PartNumber: sending.length + 1, UploadId: uploadId }, { signal });
        sent.catch(cancellation.cancel);
        sending.push(sent);
        await sending.at(-parallel); // the memory of a sent part is the next one's
      }
      return await complete(key, uploadId, await Promise.all(sending), { signal, copiedBytes: size() });
    } catch (error) {
      cancellation.cancel(error);
      await Promise.allSettled(sending);
      await abandon(key, uploadId).catch(() => {}); // cleanup deletes it later
      throw error;
    } finally {
      live.delete(uploadId);
    }
  }

  const copyObjects = (
    to: string,
    { type, signal }: CopyOptions,
    parts: AsyncIterable<SendPart>,
    size: number,
  ) =>
    uploadParts(to, metadataOf({ type }), cancellationOf(signal), parts, {
      parallel: parallelCopies,
      size: () => size,
    });

  async function complete(
    key: string,
    uploadId: string,
    etags: string[],
    options: CallOptions,
  ): Promise<UploadOutcome> {
    const completed = await client.trySend(
      new CompleteMultipartUploadCommand({
        ...client.target(key),
        ...ifAbsent,
        UploadId: uploadId,
        MultipartUpload: { Parts: etags.map((ETag, index) => ({ PartNumber: index + 1, ETag })) },
      }),
      [...conflictStatuses, ...conflictCodes, 404], // 404: an attempt whose response got lost completed it
      options,
    );
    if (completed instanceof Rejected) {
      await abandon(key, uploadId).catch(() => {}); // cleanup deletes it later
      return "unclear";
    }
    requireValue(completed.ETag);
    return "stored";
  }

  async function abandon(key: string, uploadId: string): Promise<void> {
    const command = new AbortMultipartUploadCommand({ ...client.target(key), UploadId: uploadId });
    await client.trySend(command, [404], { isFollowUp: true });
  }

  return {
    liveUploads: live,
    abandon,
    async send(key, source, options) {
      const cancellation = cancellationOf(options.signal);
      const partBytes = Math.max(
        client.partBytesMin,
        Math.ceil(Math.min(options.size ?? Infinity, options.maxBytes) / partsMax),
      );
      using writer = new HashingWriter();
      const hashed = hashedBlocks();
      async function* hashedBlocks(): AsyncGenerator<HashedBlock> {
        for await (const body of splitIntoBlocks(
          source,
          { ...options, signal: cancellation.signal },
          partBytes,
          parallelParts,
        )) {
          const [sha256] = await Promise.all([hashBlock(body), writer.add(body)]);
          yield { body, sha256 };
        }
      }
      const first = (await hashed.next()).value ?? {
        body: new Uint8Array(),
        sha256: await hashBlock(new Uint8Array()),
      };
      const outcome =
        first.body.length < partBytes
          ? await uploadWhole(client, key, first, options)
          : await uploadParts(key, metadataOf(options), cancellation, blockParts(client, first, hashed), {
              parallel: parallelParts,
              size: () => writer.size,
            });
      return { digest: { size: writer.size, sha256: await writer.end() }, outcome };
    },
    copy: (from, to, options) => copyObjects(to, options, copyParts(client, from), from.size),
    join: (sources, to, options) =>
      copyObjects(
        to,
        options,
        joinedParts(client, sources),
        sources.reduce((sum, { size }) => sum + size, 0),
      ),
  };
}

interface Metadata {
  ContentType: string;
  CacheControl?: string;
  ContentDisposition?: string;
}

/** Headers that the bucket stores with the object and sends when it serves it. */
const metadataOf = ({ type, serving }: Pick<PutOptions, "type" | "serving">): Metadata => ({
  ContentType: type,
  ...(serving && { CacheControl: serving.cacheControl, ContentDisposition: serving.disposition }),
});

async function uploadWhole(
  client: S3Client,
  key: string,
  { body, sha256 }: HashedBlock,
  options: PutOptions,
): Promise<UploadOutcome> {
  const { signal } = options;
  const command = new PutObjectCommand({
    ...client.target(key),
    ...ifAbsent,
    ...metadataOf(options),
    Body: body,
  });
  const stored = await client.trySend(signedHash(command, sha256), conflictStatuses, { signal });
  return stored instanceof Rejected ? "unclear" : "stored";
}

/** A signal that aborts with the caller's signal or on the first failure. */
interface Cancellation {
  signal: AbortSignal;
  cancel(reason: unknown): void;
}

function cancellationOf(signal: AbortSignal | undefined): Cancellation {
  const failed = new AbortController();
  return {
    signal: signal ? AbortSignal.any([signal, failed.signal]) : failed.signal,
    cancel: (reason) => failed.abort(reason),
  };
}
