/**
 * Uploads an object to a bucket: with one PUT if it is small, else as a multipart upload. It becomes visible
 * when complete, and only if its key is free.
 */
import { unavailable } from "../../problem.ts";
import { HashingWriter, hashBlock } from "../disk/worker-pool.ts";
import { encodeKey, encodeSegment } from "../keys.ts";
import type { ByteStream, ContentDigest, CopyOptions, PutOptions } from "../store.ts";
import { splitIntoBlocks } from "../upload-stream.ts";
import { errorCode, requireValue, type S3Call, type S3Client, type S3Response } from "./client.ts";

/** S3 takes 10,000 parts of at least 5 MiB. */
const partsMax = 10_000;
export const partBytesMin = 5 * 2 ** 20;
/** Parts in memory: one is filled while the others are sent. More would only cost memory. */
const parallelParts = 3;
/** Part size of a copy within the bucket: what a store copies in a few seconds. */
const copyPartBytes = 64 * 2 ** 20;

/** Objects are immutable: write only if the key is free (RFC 9110, section 13.1.2). */
const ifAbsent = { "if-none-match": "*" };
/** The key is taken, or a concurrent write to it is in progress. */
const conflictStatuses = [409, 412];

/** "unclear": the key holds an object, which may be identical or not. */
export type UploadOutcome = "stored" | "unclear";

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
type HashedBlock = Required<Pick<S3Call, "body" | "sha256">>;

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
  abandon(key: string, uploadId: string): Promise<void>;
}

/** A part of a multipart upload: its request, and how to read the ETag from the response. */
interface Part extends Pick<S3Call, "body" | "sha256" | "headers" | "expected"> {
  etag(answer: S3Response): string | undefined;
}

export function s3Uploads(client: S3Client): Uploads {
  const live = new Set<string>();

  async function uploadParts(
    key: string,
    headers: Record<string, string>,
    cancellation: Cancellation,
    parts: AsyncIterable<Part>,
  ): Promise<UploadOutcome> {
    const { signal } = cancellation;
    const started = await client.call({ method: "POST", key, query: { uploads: "" }, headers, signal });
    const uploadId = requireValue(/<UploadId>([^<]+)<\/UploadId>/.exec(started.text)?.[1]);
    const sending: Promise<string>[] = [];
    live.add(uploadId);
    try {
      for await (const { etag, ...part } of parts) {
        const query = { partNumber: String(sending.length + 1), uploadId };
        const sent = client
          .call({ ...part, method: "PUT", key, query, signal })
          .then((answer) => requireValue(etag(answer)));
        sent.catch(cancellation.cancel);
        sending.push(sent);
        await sending.at(-parallelParts); // its memory is the next part's
      }
      return await complete(key, uploadId, await Promise.all(sending), signal);
    } catch (error) {
      cancellation.cancel(error);
      await Promise.allSettled(sending);
      await abandon(key, uploadId).catch(() => {}); // cleanup deletes it later
      throw error;
    } finally {
      live.delete(uploadId);
    }
  }

  async function complete(
    key: string,
    uploadId: string,
    etags: string[],
    signal: AbortSignal,
  ): Promise<UploadOutcome> {
    const parts = etags.map(
      (etag, index) =>
        `<Part><PartNumber>${index + 1}</PartNumber><ETag>${Bun.escapeHTML(etag)}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
    const expected = [...conflictStatuses, 404]; // 404: an attempt whose answer got lost has done it
    const answer = await client.call({
      method: "POST",
      key,
      query: { uploadId },
      headers: ifAbsent,
      body,
      expected,
      signal,
    });
    const code = errorCode(answer.text); // even of a 200: it is sent before the work is done
    if (
      expected.includes(answer.status) ||
      code === "PreconditionFailed" ||
      code === "ConditionalRequestConflict"
    ) {
      await abandon(key, uploadId).catch(() => {}); // cleanup deletes it later
      return "unclear";
    }
    if (code) throw unavailable("The store is not responding.", new Error(`S3 POST answered 200 ${code}`));
    requireValue(/<ETag>/.exec(answer.text)?.[0]);
    return "stored";
  }

  async function abandon(key: string, uploadId: string): Promise<void> {
    await client.call({ method: "DELETE", key, query: { uploadId }, expected: [404], isFollowUp: true });
  }

  return {
    liveUploads: live,
    abandon,
    async send(key, source, options) {
      const cancellation = cancellationOf(options.signal);
      const partBytes = Math.max(
        partBytesMin,
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
          : await uploadParts(key, headersOf(options), cancellation, blockParts(first, hashed));
      return { digest: { size: writer.size, sha256: await writer.end() }, outcome };
    },
    copy: (from, to, { type, signal }) =>
      uploadParts(to, headersOf({ type }), cancellationOf(signal), copyParts(client, from)),
  };
}

/** Headers that the bucket stores with the object and sends when it serves it. */
const headersOf = ({ type, serving }: Pick<PutOptions, "type" | "serving">): Record<string, string> => ({
  "content-type": type,
  ...(serving && { "cache-control": serving.cacheControl, "content-disposition": serving.disposition }),
});

async function uploadWhole(
  client: S3Client,
  key: string,
  whole: HashedBlock,
  options: PutOptions,
): Promise<UploadOutcome> {
  const { signal } = options;
  const headers = { ...ifAbsent, ...headersOf(options) };
  const answer = await client.call({
    method: "PUT",
    key,
    headers,
    ...whole,
    expected: conflictStatuses,
    signal,
  });
  return conflictStatuses.includes(answer.status) ? "unclear" : "stored";
}

async function* blockParts(first: HashedBlock, rest: AsyncIterable<HashedBlock>): AsyncGenerator<Part> {
  const part = (block: HashedBlock): Part => ({
    ...block,
    etag: (answer) => answer.headers.get("etag") ?? undefined,
  });
  yield part(first);
  for await (const block of rest) yield part(block);
}

async function* copyParts(client: S3Client, { key, size, etag }: Snapshot): AsyncGenerator<Part> {
  const source = `/${encodeSegment(client.bucket)}/${encodeKey(client.nameOf(key))}`;
  for (let start = 0; start < size; start += copyPartBytes)
    yield {
      headers: {
        "x-amz-copy-source": source,
        "x-amz-copy-source-range": `bytes=${start}-${Math.min(start + copyPartBytes, size) - 1}`,
        "x-amz-copy-source-if-match": etag,
      },
      expected: [400, 403, 404, 405, 412, 501],
      etag({ status, text }) {
        if (status === 412) throw new CopyStopped("changed");
        if (status === 404 && errorCode(text) === "NoSuchKey") throw new CopyStopped("gone");
        if (status >= 400 || errorCode(text)) throw new CopyStopped("refused");
        return /<ETag>([^<]+)<\/ETag>/.exec(text)?.[1]?.replaceAll("&quot;", '"').replaceAll("&#34;", '"');
      },
    };
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
