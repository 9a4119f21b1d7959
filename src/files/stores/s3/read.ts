/** Reads of a bucket: object metadata, ranges, lists and unfinished uploads. */
import {
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  ListObjectsV2Command,
} from "@aws-sdk/client-s3";
import { unavailable } from "../../../core/problem.ts";
import type { InactivityTimeout } from "../inactivity-timeout.ts";
import { isKey, isListed } from "../keys.ts";
import type { ByteRange, ObjectInfo, StoredObject } from "../store.ts";
import type { CallOptions, S3Client } from "./client.ts";
import { errorCode, Rejected, requireValue } from "./errors.ts";
import { CopyStopped } from "./parts.ts";
import { readBody } from "./transport.ts";

const pageKeysMax = 1000;

/** The size, time, and ETag of an object; null if there is none. */
export async function infoOf(
  client: S3Client,
  key: string,
  options: Pick<CallOptions, "isFollowUp"> = {},
): Promise<(ObjectInfo & { etag: string }) | null> {
  const head = await client.trySend(new HeadObjectCommand(client.target(key)), [404], options);
  if (head instanceof Rejected) return null;
  return {
    etag: requireValue(head.ETag),
    size: requireValue(head.ContentLength),
    modifiedAt: requireValue(head.LastModified),
  };
}

/** Opens an object or a range of it. With `etag`, throws `CopyStopped` if the object has changed. */
export async function readObject(
  client: S3Client,
  key: string,
  { range, etag }: { range?: ByteRange | undefined; etag?: string },
): Promise<StoredObject | null> {
  if (range && range.end <= range.start) return emptyRange(client, key);
  const headers: Record<string, string> = {};
  if (range) headers.range = `bytes=${range.start}-${range.end - 1}`;
  if (etag) headers["if-match"] = etag;
  const { response, timeout } = await client.open(key, headers, [404, 412, 416]);
  if (!response.ok) {
    const code = errorCode(await readBody(response, timeout).catch(() => new Uint8Array()));
    timeout.close();
    if (response.status === 412) throw new CopyStopped("changed");
    if (response.status === 416) return emptyRange(client, key);
    if (code === "NoSuchKey") return null;
    throw unavailable("The store rejected the request.", new Error(`S3 GetObject answered 404 ${code}`));
  }
  try {
    requireValue(response.headers.get("etag"));
    const length = Number(requireValue(response.headers.get("content-length")));
    const size = range
      ? Number(requireValue(/\/(\d+)$/.exec(response.headers.get("content-range") ?? "")?.[1]))
      : length;
    return { size, body: lengthChecked(response, length, timeout) };
  } catch (error) {
    timeout.close();
    throw error;
  }
}

async function emptyRange(client: S3Client, key: string): Promise<StoredObject | null> {
  const info = await infoOf(client, key);
  return info && { size: info.size, body: new Blob([]).stream() };
}

/**
 * Streams exactly `length` bytes, or fails. The inactivity timeout runs only while the store is read, not
 * while the reader is slow.
 */
function lengthChecked(
  response: Response,
  length: number,
  timeout: InactivityTimeout,
): ReadableStream<Uint8Array> {
  const reader = (response.body ?? new Blob([]).stream()).getReader();
  let missing = length;
  timeout.pause();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        timeout.reset();
        const { value } = await reader.read().catch((error: Error) => {
          timeout.close();
          throw unavailable("The store stopped sending in the middle of an object.", error);
        });
        timeout.pause();
        missing -= value?.length ?? 0;
        if (value) return controller.enqueue(value);
        timeout.close();
        if (missing !== 0) throw unavailable("The store sent fewer bytes than it announced.");
        controller.close();
      },
      cancel: () => timeout.close(),
    },
    { highWaterMark: 0 },
  );
}

/** Objects below a prefix, in the order of their keys, after the key `after`. */
export async function* listKeys(
  client: S3Client,
  prefix: string,
  after: string,
): AsyncGenerator<ObjectInfo & { key: string }> {
  const prefixLength = client.nameOf("").length;
  let last = after && client.nameOf(after);
  for (;;) {
    const page = await client.send(
      new ListObjectsV2Command({
        Bucket: client.bucket,
        MaxKeys: pageKeysMax,
        Prefix: client.nameOf(prefix),
        ...(last && { StartAfter: last }),
      }),
    );
    const isTruncated = requireValue(page.IsTruncated);
    const objects = page.Contents ?? [];
    for (const { Key, Size, LastModified } of objects) {
      const key = requireValue(Key).slice(prefixLength);
      if (isListed(key)) yield { key, size: requireValue(Size), modifiedAt: requireValue(LastModified) };
    }
    const end = objects.at(-1)?.Key;
    if (!isTruncated || end === undefined) return;
    if (end === last) throw unavailable("The store listed the same objects twice.");
    last = end;
  }
}

/** Lists multipart uploads that were started before `before` and not by this process. */
export async function* listUnfinishedUploads(
  client: S3Client,
  liveUploads: ReadonlySet<string>,
  before: Date,
): AsyncGenerator<{ key: string; uploadId: string }> {
  const prefixLength = client.nameOf("").length;
  let last: Pick<ListMultipartUploadsCommandInput, "KeyMarker" | "UploadIdMarker"> = {};
  for (;;) {
    const page = await client.send(
      new ListMultipartUploadsCommand({
        Bucket: client.bucket,
        MaxUploads: pageKeysMax,
        Prefix: client.nameOf(""),
        ...last,
      }),
    );
    const isTruncated = requireValue(page.IsTruncated);
    const found = page.Uploads ?? [];
    for (const { Key, UploadId, Initiated } of found) {
      const uploadId = requireValue(UploadId);
      const key = requireValue(Key).slice(prefixLength);
      if (requireValue(Initiated) >= before || liveUploads.has(uploadId) || !isKey(key)) continue;
      yield { key, uploadId };
    }
    const end = found.at(-1);
    if (!isTruncated || !end) return;
    last = { KeyMarker: requireValue(end.Key), UploadIdMarker: requireValue(end.UploadId) };
  }
}
