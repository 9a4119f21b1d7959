/** Reads of a bucket: object metadata, ranges, lists and unfinished uploads. */
import { unavailable } from "../../problem.ts";
import type { InactivityTimeout } from "../inactivity-timeout.ts";
import { isKey, isListed } from "../keys.ts";
import type { ByteRange, ObjectInfo, StoredObject } from "../store.ts";
import { errorCode, requireValue, type S3Call, type S3Client } from "./client.ts";
import { CopyStopped, type Uploads } from "./upload.ts";

const pageKeysMax = 1000;

export async function infoOf(
  client: S3Client,
  key: string,
  options: Pick<S3Call, "isFollowUp"> = {},
): Promise<(ObjectInfo & { etag: string }) | null> {
  const { status, headers } = await client.call({ method: "HEAD", key, expected: [404], ...options });
  if (status === 404) return null;
  return {
    etag: requireValue(headers.get("etag")),
    size: Number(requireValue(headers.get("content-length"))),
    modifiedAt: new Date(requireValue(headers.get("last-modified"))),
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
  const { response, timeout } = await client.open({ method: "GET", key, headers, expected: [404, 412, 416] });
  if (!response.ok) {
    const code = errorCode(await response.text().catch(() => ""));
    timeout.close();
    if (response.status === 412) throw new CopyStopped("changed");
    if (response.status === 416) return emptyRange(client, key);
    if (code === "NoSuchKey") return null;
    throw unavailable("The store rejected the request.", new Error(`S3 GET answered 404 ${code}`));
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

interface ListedObject {
  Key: string;
  Size: string;
  LastModified: string;
}

export async function* listKeys(
  client: S3Client,
  prefix: string,
  after: string,
): AsyncGenerator<ObjectInfo & { key: string }> {
  const prefixLength = client.nameOf("").length;
  let last = after && client.nameOf(after);
  for (;;) {
    const query = {
      "list-type": "2",
      "max-keys": String(pageKeysMax),
      prefix: client.nameOf(prefix),
      ...(last ? { "start-after": last } : {}),
    };
    const page = parseXml<{ IsTruncated?: string; Contents?: ListedObject | ListedObject[] }>(
      "ListBucketResult",
      (await client.call({ method: "GET", query })).text,
    );
    const objects = [page.Contents ?? []].flat();
    for (const { Key, Size, LastModified } of objects) {
      const key = Key.slice(prefixLength);
      if (isListed(key)) yield { key, size: Number(Size), modifiedAt: new Date(LastModified) };
    }
    const end = objects.at(-1)?.Key;
    if (page.IsTruncated !== "true" || end === undefined) return;
    if (end === last) throw unavailable("The store listed the same objects twice.");
    last = end;
  }
}

interface ListedUpload {
  Key: string;
  UploadId: string;
  Initiated: string;
}

/** Lists multipart uploads that were started before `before` and not by this process. */
export async function* listUnfinishedUploads(
  client: S3Client,
  uploads: Uploads,
  before: Date,
): AsyncGenerator<{ key: string; uploadId: string }> {
  const prefixLength = client.nameOf("").length;
  let markers: Record<string, string> = {};
  for (;;) {
    const query = { uploads: "", "max-uploads": String(pageKeysMax), prefix: client.nameOf(""), ...markers };
    const { text } = await client.call({ method: "GET", query });
    const page = parseXml<{ IsTruncated?: string; Upload?: ListedUpload | ListedUpload[] }>(
      "ListMultipartUploadsResult",
      text,
    );
    const found = [page.Upload ?? []].flat();
    for (const { Key, UploadId, Initiated } of found) {
      if (
        new Date(Initiated) >= before ||
        uploads.liveUploads.has(UploadId) ||
        !isKey(Key.slice(prefixLength))
      )
        continue;
      yield { key: Key.slice(prefixLength), uploadId: UploadId };
    }
    const end = found.at(-1);
    if (page.IsTruncated !== "true" || !end) return;
    markers = { "key-marker": end.Key, "upload-id-marker": end.UploadId };
  }
}

function parseXml<T>(root: string, text: string): T {
  try {
    const document = Bun.XML.parse(text) as Record<string, T | "">;
    if (document[root]) return document[root];
  } catch {
    // not XML: reported below
  }
  throw unavailable("The store's response is not valid S3. Check its endpoint.");
}
