/** What is kept of a receiver's answer. */

export interface Answer {
  /** HTTP status. A redirect is not followed: it is an answer like any other. */
  status: number;
  retryAfterMs: number | null;
  /** The first 2 KiB, as text without NUL. */
  body: string;
}

const bodyBytesMax = 2048;

/** Reads the first 2 KiB of the body, and closes the connection if there is more. */
export async function readAnswer(response: Response): Promise<Answer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= bodyBytesMax) break; // leaving the loop cancels the body
  }
  return {
    status: response.status,
    retryAfterMs: parseRetryAfter(response.headers.get("retry-after")),
    body: textOf(Buffer.concat(chunks)),
  };
}

/** A character cut in two by the limit is left out; Postgres stores no NUL. */
const textOf = (bytes: Uint8Array): string =>
  new TextDecoder()
    .decode(bytes.subarray(0, bodyBytesMax), { stream: bytes.byteLength > bodyBytesMax })
    .replaceAll("\0", "\ufffd");

/** `Retry-After` (RFC 9110, 10.2.3) has seconds or a date. */
function parseRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}
