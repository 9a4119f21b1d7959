/** Gzip compression of responses, if the client accepts it (RFC 9110, 12.5.3). */

import { perObject } from "../cache.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The body to send and its `Content-Encoding` header. The response must have `Vary: Accept-Encoding`. */
export function gzipFor(
  { headers }: Request,
  body: string | Bytes,
): { body: string | Bytes; encoding: Record<string, string> } {
  if (!acceptsGzip(headers.get("accept-encoding") ?? "")) return { body, encoding: {} };
  return {
    body: typeof body === "string" ? Bun.gzipSync(body) : gzipOnce(body),
    encoding: { "content-encoding": "gzip" },
  };
}

/** Compresses a body that is sent repeatedly, such as an embedded file, once. */
const gzipOnce = perObject((body: Bytes): Bytes => Bun.gzipSync(body));

/** Whether `Accept-Encoding` lists gzip. A weight of `q=0` excludes it. */
const acceptsGzip = (header: string): boolean =>
  header.split(",").some((coding) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(coding));
