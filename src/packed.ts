/** Answers that are packed on their way, for whoever takes that (RFC 9110, 12.5.3). */

type Bytes = Uint8Array<ArrayBuffer>;

/** What is sent again is packed once. */
const packed = new WeakMap<Bytes, Bytes>();

/** The body as it is to be sent, and the field that says how. The answer varies by `Accept-Encoding`. */
export function packedFor({ headers }: Request, body: string | Bytes): { body: string | Bytes; encoding: Record<string, string> } {
  if (!takesGzip(headers.get("accept-encoding") ?? "")) return { body, encoding: {} };
  return { body: typeof body === "string" ? Bun.gzipSync(body) : packedOnce(body), encoding: { "content-encoding": "gzip" } };
}

function packedOnce(body: Bytes): Bytes {
  const made = packed.get(body) ?? Bun.gzipSync(body);
  packed.set(body, made);
  return made;
}

/** A weight of zero says no. */
const takesGzip = (field: string): boolean => field.split(",").some((one) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(one));
