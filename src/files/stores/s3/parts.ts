/** The parts of a multipart upload: blocks of a source, or ranges of another object. */
import { type PutObjectCommand, UploadPartCommand, UploadPartCopyCommand } from "@aws-sdk/client-s3";
import type { HttpRequest } from "@smithy/core/protocols";
import { encodeKey, encodeSegment } from "../keys.ts";
import type { ByteRange } from "../store.ts";
import type { CallOptions, S3Client } from "./client.ts";
import { Rejected, requireValue } from "./errors.ts";

/** Part size of a copy within the bucket: what a store copies in a few seconds. */
const copyPartBytes = 64 * 2 ** 20;

export interface Snapshot {
  key: string;
  size: number;
  etag: string;
}

/** A copy within the bucket failed: the store does not support it, or the source changed or is gone. */
export class CopyStopped extends Error {
  constructor(readonly reason: "refused" | "changed" | "gone") {
    super(reason);
  }
}

/** A block with its SHA-256, which its request signature covers. */
export interface HashedBlock {
  body: Uint8Array;
  /** In hex. */
  sha256: string;
}

interface PartTarget {
  Bucket: string;
  Key: string;
  PartNumber: number;
  UploadId: string;
}

/** Sends one part of a multipart upload and returns its ETag. */
export type SendPart = (target: PartTarget, options: CallOptions) => Promise<string>;

/** Yields how to send each block, with its hash in the signature. */
export async function* blockParts(
  client: S3Client,
  first: HashedBlock,
  rest: AsyncIterable<HashedBlock>,
): AsyncGenerator<SendPart> {
  const part =
    ({ body, sha256 }: HashedBlock): SendPart =>
    async (target, options) => {
      const command = new UploadPartCommand({ ...target, Body: body });
      const { ETag } = await client.send(signedHash(command, sha256), options);
      return requireValue(ETag);
    };
  yield part(first);
  for await (const block of rest) yield part(block);
}

/** Yields how to copy each range of an object within the bucket. They throw `CopyStopped`. */
export async function* copyParts(client: S3Client, source: Snapshot): AsyncGenerator<SendPart> {
  for (let start = 0; start < source.size; start += copyPartBytes)
    yield copyRange(client, source, { start, end: Math.min(start + copyPartBytes, source.size) });
}

/** Copies a range of an object of more than `partBytesMin`. Throws `CopyStopped`. */
export const copyRange =
  (
    client: S3Client,
    { key, size, etag }: Omit<Snapshot, "etag"> & Partial<Snapshot>,
    { start, end }: ByteRange,
  ): SendPart =>
  async (target, options) => {
    const command = new UploadPartCopyCommand({
      ...target,
      CopySource: `/${encodeSegment(client.bucket)}/${encodeKey(client.nameOf(key))}`,
      ...(end - start < size && { CopySourceRange: `bytes=${start}-${end - 1}` }),
      CopySourceIfMatch: etag,
    });
    const copied = await client.trySend(command, [400, 403, 404, 405, 412, 501], {
      ...options,
      copiedBytes: end - start,
    });
    if (!(copied instanceof Rejected)) return requireValue(copied.CopyPartResult?.ETag);
    if (copied.status === 412) throw new CopyStopped("changed");
    throw new CopyStopped(copied.code === "NoSuchKey" ? "gone" : "refused");
  };

/** Signs the hash that was computed with the block, or the SDK would hash it again on the main thread. */
export function signedHash<C extends PutObjectCommand | UploadPartCommand>(command: C, sha256: string): C {
  const stack: PutObjectCommand["middlewareStack"] = command.middlewareStack as never;
  stack.add(
    (next) => (args) => {
      (args.request as HttpRequest).headers["x-amz-content-sha256"] = sha256;
      return next(args);
    },
    { step: "build" },
  );
  return command;
}
