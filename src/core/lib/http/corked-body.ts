/**
 * Bun sends the head of a response of 15 KiB or more in about 50 system calls, one for each name, colon, and
 * value, if the response is ready only after the handler returned, as every one is that waited for Postgres.
 * It corks the socket for shorter bodies and for streams: https://github.com/oven-sh/bun/pull/41341.
 */

/** From this length on Bun does not cork a body. */
const minBytes = 15 * 1024;
/** The gain does not depend on the length, but the sink copies the body. */
const maxBytes = 2 ** 20;

const encoder = new TextEncoder();

/**
 * A body that leaves in one system call together with its head, and with `Content-Length`: a stream that ends
 * at once. A third of the CPU of a page on Postgres (`bun run bench feed`).
 */
export function corkedBody(body: string | Uint8Array<ArrayBuffer>): BodyInit {
  if (body.length < minBytes || body.length > maxBytes) return body;
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const source: Bun.DirectUnderlyingSource = {
    type: "direct",
    pull(sink) {
      sink.write(bytes);
      sink.end();
    },
  };
  // A sink that holds less sends chunks instead. Safe because: Bun's own kind of source.
  return new ReadableStream(source as unknown as UnderlyingSource, { highWaterMark: bytes.length + 1 });
}
