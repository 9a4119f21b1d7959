/** A bucket that takes objects and keeps only the small ones, and the sizes of all: no more than svc needs. */
const small = new Map<string, Uint8Array>();
const smallMax = 2 ** 16;
const sizes = new Map<string, number>();
/** The sizes of unfinished uploads. */
const unfinished = new Map<string, number>();
let uploads = 0;

const xml = (text: string, status = 200): Response =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>${text}`, {
    status,
    headers: { "content-type": "application/xml" },
  });
const missing = () => xml("<Error><Code>NoSuchKey</Code><Message>There is none.</Message></Error>", 404);

async function take(path: string, uploadId: string | null, { headers, body }: Request): Promise<Response> {
  const size = Number(headers.get("content-length"));
  if (uploadId !== null) unfinished.set(uploadId, (unfinished.get(uploadId) ?? 0) + size);
  else sizes.set(path, size);
  if (size <= smallMax) small.set(path, await new Response(body).bytes());
  else for await (const _ of body ?? []);
  return new Response(null, { headers: { etag: '"0"' } });
}

async function change(path: string, query: URLSearchParams, request: Request): Promise<Response> {
  await request.bytes();
  const uploadId = query.get("uploadId") ?? `${++uploads}`;
  if (query.has("uploads"))
    return xml(
      `<InitiateMultipartUploadResult><UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`,
    );
  sizes.set(path, unfinished.get(uploadId) ?? 0);
  return xml('<CompleteMultipartUploadResult><ETag>"0"</ETag></CompleteMultipartUploadResult>');
}

function give(path: string, method: string): Response {
  const size = sizes.get(path);
  const bytes = small.get(path);
  const headers = { etag: '"0"', "last-modified": new Date(0).toUTCString() };
  if (method === "HEAD" && size !== undefined)
    return new Response("", { headers: { ...headers, "content-length": `${size}` } });
  if (!bytes) return missing();
  const range = `bytes 0-${bytes.length - 1}/${bytes.length}`;
  return new Response(new Blob([new Uint8Array(bytes)]), {
    status: 206,
    headers: { ...headers, "content-range": range },
  });
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  development: false,
  maxRequestBodySize: 2 ** 34,
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "PUT") return take(pathname, searchParams.get("uploadId"), request);
    if (request.method === "POST") return change(pathname, searchParams, request);
    if (searchParams.has("uploads"))
      return xml("<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>");
    if (searchParams.has("list-type"))
      return xml("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>");
    return give(pathname, request.method);
  },
});
process.stdout.write(`${server.url.origin}\n`);
