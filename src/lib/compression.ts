/** Answers that are zipped on their way, for whoever takes that (RFC 9110, 12.5.3). */

type Bytes = Uint8Array<ArrayBuffer>;

/** What is sent again is zipped once. */
const zipped = new WeakMap<Bytes, Bytes>();

/** The body as it is to be sent, and the field that says how. The answer varies by `Accept-Encoding`. */
export function gzipFor(
  { headers }: Request,
  body: string | Bytes,
): { body: string | Bytes; encoding: Record<string, string> } {
  if (!takesGzip(headers.get("accept-encoding") ?? "")) return { body, encoding: {} };
  return {
    body: typeof body === "string" ? Bun.gzipSync(body) : zippedOnce(body),
    encoding: { "content-encoding": "gzip" },
  };
}

function zippedOnce(body: Bytes): Bytes {
  const made = zipped.get(body) ?? Bun.gzipSync(body);
  zipped.set(body, made);
  return made;
}

/** A weight of zero says no. */
const takesGzip = (field: string): boolean =>
  field.split(",").some((one) => /^\s*gzip\s*(;\s*q=(?!0(\.0*)?\s*$).*)?$/i.test(one));
