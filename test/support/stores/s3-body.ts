/**
 * The body of a request to a store, as plain bytes: unwrapped and checked against what its signature
 * promised.
 */
import { createHash } from "node:crypto";
import { type Promised, S3Failure } from "./s3-signature.ts";

export async function* bodyOf(request: Request, { body, chunks }: Promised): AsyncGenerator<Uint8Array> {
  const { headers } = request;
  const source = request.body ?? new Blob([]).stream();
  if (body.startsWith("STREAMING-")) {
    yield* unwrap(source, Number(headers.get("x-amz-decoded-content-length") ?? Number.NaN), body, chunks);
    return;
  }
  if (request.method === "PUT" && headers.get("content-length") === null)
    throw new S3Failure(411, "MissingContentLength");
  const hash = createHash("sha256");
  for await (const chunk of source) {
    hash.update(chunk);
    yield chunk;
  }
  if (body !== "UNSIGNED-PAYLOAD" && hash.digest("hex") !== body)
    throw new S3Failure(400, "XAmzContentSHA256Mismatch");
}

/**
 * `aws-chunked`: `<hex size>[;chunk-signature=…]\r\n<bytes>\r\n`, ended by an empty chunk and, perhaps,
 * trailers.
 */
async function* unwrap(
  source: AsyncIterable<Uint8Array>,
  announced: number,
  kind: string,
  sign: Promised["chunks"],
): AsyncGenerator<Uint8Array> {
  const signed = kind.startsWith("STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
  const reader = source[Symbol.asyncIterator]();
  let buffer = Buffer.alloc(0);
  const more = async () => {
    const next = await reader.next();
    if (next.done) throw new S3Failure(400, "IncompleteBody");
    buffer = Buffer.concat([buffer, next.value]);
  };
  const line = async (): Promise<string> => {
    let end = buffer.indexOf("\r\n");
    for (; end < 0; end = buffer.indexOf("\r\n")) await more();
    const text = buffer.subarray(0, end).toString();
    buffer = buffer.subarray(end + 2);
    return text;
  };
  let bytes = 0;
  for (;;) {
    const [, length = "", signature] =
      /^([0-9a-f]+)(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(await line()) ?? [];
    const size = Number.parseInt(length, 16);
    if (!(size >= 0)) throw new S3Failure(400, "InvalidRequest", "bad chunk");
    while (buffer.length < size + (size > 0 ? 2 : 0)) await more();
    const chunk = Buffer.from(buffer.subarray(0, size));
    if (signed && sign("chunk", chunk) !== signature)
      throw new S3Failure(403, "SignatureDoesNotMatch", "chunk");
    if (size === 0) break;
    buffer = buffer.subarray(size + 2);
    bytes += size;
    yield chunk;
  }
  const trailers: string[] = [];
  for (let text = await line(); text !== ""; text = await line()) trailers.push(text);
  const signature = trailers.find((text) => text.startsWith("x-amz-trailer-signature:"))?.split(":")[1];
  const rest = trailers.filter((text) => !text.startsWith("x-amz-trailer-signature:"));
  if (
    signed &&
    kind.endsWith("-TRAILER") &&
    sign("trailer", Buffer.from(`${rest.join("\n")}\n`)) !== signature
  )
    throw new S3Failure(403, "SignatureDoesNotMatch", "trailer");
  if (bytes !== announced) throw new S3Failure(400, "IncompleteBody");
}
