/** Compression of responses, if the client accepts it (RFC 9110, 12.5.3). */

import { perObject } from "../cache.ts";
import { isPacked, unpacked } from "../packed-bytes.ts";
import { corkedBody } from "./corked-body.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The best first: zstd takes a third of the CPU of gzip for JSON, and is smaller. */
const codings = [
  { name: "zstd", compress: (body: string | Bytes): Bytes => new Uint8Array(Bun.zstdCompressSync(body)) },
  { name: "gzip", compress: (body: string | Bytes): Bytes => Bun.gzipSync(body) },
].map((coding) => ({ ...coding, compressOnce: perObject((body: Bytes) => coding.compress(body)) }));

/**
 * Listed in `Accept-Encoding`. A weight of `q=0` excludes a coding, and `*` stands for those that are not
 * listed: it takes the most common one.
 */
function codingFor({ headers }: Request) {
  const accepted = headers.get("accept-encoding");
  if (accepted === null) return undefined;
  const weights = new Map(
    accepted.split(",").map((one): [string, boolean] => {
      const [name = "", weight = ""] = one.toLowerCase().split(";");
      return [name.trim(), !/^\s*q=0(\.0*)?\s*$/.test(weight)];
    }),
  );
  const isForAny = ({ name }: { name: string }) => name === "gzip" && !weights.has(name) && weights.get("*");
  return codings.find(({ name }) => weights.get(name)) ?? codings.find(isForAny);
}

/**
 * The body to send and its `Content-Encoding` header. The response must have `Vary: Accept-Encoding`. Bytes
 * are sent repeatedly, such as an embedded file, and compressed once.
 */
export function compressFor(
  request: Request,
  body: string | Bytes,
): { body: string | Bytes; encoding: Record<string, string> } {
  const coding = codingFor(request);
  if (!coding) return { body, encoding: {} };
  return {
    body: typeof body === "string" ? coding.compress(body) : coding.compressOnce(body),
    encoding: { "content-encoding": coding.name },
  };
}

/** The same for a file that may be packed: most browsers take it as it is stored. */
export function compressStoredFor(request: Request, stored: Bytes): ReturnType<typeof compressFor> {
  if (!isPacked(stored)) return compressFor(request, stored);
  if (codingFor(request)?.name === "zstd") return { body: stored, encoding: { "content-encoding": "zstd" } };
  return compressFor(request, unpackedOnce(stored));
}

const unpackedOnce = perObject(unpacked);

const textTypes = /^(?:application\/(?:[\w.-]+\+)?json|text\/(?:plain|markdown|csv))\b/;
/** Less would not get shorter by a packet. */
const minBytes = 1024;

/**
 * Compresses JSON and plain text that is sent as a whole. Files, which have a length and take ranges, and
 * streams stay as they are.
 */
export function compressResponse(request: Request, response: Response): Response | Promise<Response> {
  const { headers, status } = response;
  const isText = textTypes.test(headers.get("content-type") ?? "");
  if (!isText || status === 304 || headers.has("content-length") || headers.has("content-encoding"))
    return response;
  if (!headers.get("vary")?.includes("Accept-Encoding")) headers.append("vary", "Accept-Encoding");
  const coding = codingFor(request);
  return coding ? compressed(response, coding) : response;
}

async function compressed(response: Response, coding: (typeof codings)[number]): Promise<Response> {
  const { headers, status } = response;
  const body = await response.bytes();
  if (body.length < minBytes) return new Response(body, { status, headers });
  headers.set("content-encoding", coding.name);
  // Two representations do not share a strong validator (RFC 9110, 8.8.1).
  const etag = headers.get("etag");
  if (etag?.startsWith('"')) headers.set("etag", `W/${etag}`);
  return new Response(corkedBody(coding.compress(body)), { status, headers });
}
