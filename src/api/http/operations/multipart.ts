/**
 * Streaming parser of multipart/form-data (RFC 7578). Parts are read in order, and bodies are never buffered
 * as a whole.
 */

import { uploadChunks } from "../../../core/lib/http/request-body.ts";
import { badRequest, unsupportedMediaType } from "../../../core/problem.ts";

export interface Part {
  name: string;
  /** Null: a field. */
  filename: string | null;
  /** Can be left unread: the parser skips the rest of it. */
  body: AsyncGenerator<Uint8Array>;
}

const headersBytesMax = 16 * 2 ** 10;
const partsMax = 64;
const headersEnd = Buffer.from("\r\n\r\n");

/**
 * Yields the parts of a form.
 * @param chunks its body
 * @throws {Problem} 400 for a malformed, incomplete or stalled body, 415 for another content type
 */
export async function* readParts(
  request: Request,
  chunks: AsyncGenerator<Uint8Array> = uploadChunks(request),
): AsyncGenerator<Part> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(request)}`);
  const input = new Input(chunks);
  try {
    const first = delimiter.subarray("\r\n".length);
    if (!first.equals(await input.take(first.length)))
      throw badRequest("The multipart form does not start with its boundary.");
    for (let count = 0; ; count++) {
      const end = (await input.take(2)).toString("latin1");
      if (end === "--") return;
      if (end !== "\r\n") throw badRequest("The multipart form is malformed after a boundary.");
      if (count === partsMax) throw badRequest(`A multipart form can have at most ${partsMax} parts.`);
      const head = await input.readUntil(headersEnd, headersBytesMax);
      if (head === null)
        throw badRequest(`The headers of a form part are malformed or longer than ${headersBytesMax} bytes.`);
      const body = input.body(delimiter);
      yield { ...readHead(head.toString("utf8")), body };
      for await (const _ of body); // skip what the consumer left unread
    }
  } finally {
    chunks.return(undefined).catch(() => {}); // not awaited: the rest of the body may never arrive
  }
}

function boundaryOf(request: Request): string {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;.*)?$/i.exec(
      request.headers.get("content-type") ?? "",
    ) ?? [];
  const boundary = quoted ?? plain;
  if (!boundary)
    throw unsupportedMediaType("Send the form as Content-Type: multipart/form-data with a boundary.");
  return boundary;
}

/**
 * Makes a reader of a `Content-Disposition` parameter. Quotes are escaped as %22 (browsers) or by a backslash
 * (other clients). The encoded form `name*=` takes precedence (RFC 8187).
 */
function parameterReader(name: string): (disposition: string) => string | undefined {
  const shape = (value: string) => new RegExp(`;\\s*${name}=${value}`, "i");
  // Browsers do not escape backslashes, so one can precede the closing quote.
  const quotes = [shape(String.raw`"((?:[^"\\]|\\.)*)"`), shape('"([^"]*)"')];
  const bare = shape(String.raw`([^\s;"]+)`);
  const encoded = new RegExp(String.raw`;\s*${name}\*=utf-8'[\w-]*'([^\s;"]+)`, "i");
  return (disposition) => {
    const exact = decodeExtended(encoded.exec(disposition)?.[1]);
    if (exact !== null) return exact;
    const quoted = quotes.map((pattern) => pattern.exec(disposition)).find((match) => match !== null)?.[1];
    return (
      quoted
        ?.replace(/\\(["\\])/g, "$1")
        .replace(/%22/g, '"')
        .replace(/%0[DA]/gi, decodeURIComponent) ?? bare.exec(disposition)?.[1]
    );
  };
}
/**
 * Decodes an RFC 8187 value, as reqwest (Rust) and aiohttp (Python) send names with a percent sign. Null if
 * it is absent or malformed.
 */
function decodeExtended(text: string | undefined): string | null {
  try {
    return text === undefined ? null : decodeURIComponent(text);
  } catch {
    return null;
  }
}

const [nameIn, filenameIn] = [parameterReader("name"), parameterReader("filename")];

/** `Content-Disposition: form-data; name="…"; filename="…"`. */
function readHead(head: string): Pick<Part, "name" | "filename"> {
  const disposition = head.split("\r\n").find((line) => /^content-disposition:/i.test(line)) ?? "";
  const name = nameIn(disposition);
  if (!/^content-disposition:\s*form-data\b/i.test(disposition) || name === undefined)
    throw badRequest("A part of the form has no name.");
  return { name, filename: filenameIn(disposition) ?? null };
}

/** How many trailing bytes could be the start of the delimiter. Usually 0, so nothing has to be copied. */
function partialDelimiterLength(bytes: Buffer, delimiter: Buffer): number {
  for (let at = Math.max(0, bytes.length - delimiter.length + 1); ; at++) {
    at = bytes.indexOf(delimiter[0] as number, at);
    if (at < 0) return 0;
    if (delimiter.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return bytes.length - at;
  }
}

/** Buffers only as much of a request body as the search for the next delimiter needs. */
class Input {
  #buffer: Buffer = Buffer.alloc(0);
  #ended = false;
  constructor(readonly chunks: AsyncGenerator<Uint8Array>) {}

  async #readMore(): Promise<boolean> {
    const next = this.#ended ? { done: true as const, value: undefined } : await this.chunks.next();
    if (next.done) {
      this.#ended = true;
      return false;
    }
    this.#buffer = this.#buffer.length
      ? Buffer.concat([this.#buffer, next.value])
      : Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    return true;
  }

  /** Exactly `length` bytes. */
  async take(length: number): Promise<Buffer> {
    while (this.#buffer.length < length)
      if (!(await this.#readMore())) throw badRequest("The multipart form is incomplete.");
    const bytes = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return bytes;
  }

  /** The bytes before `delimiter`, which is consumed; null if there are more than `bytesMax`. */
  async readUntil(delimiter: Buffer, bytesMax: number): Promise<Buffer | null> {
    for (;;) {
      const at = this.#buffer.indexOf(delimiter);
      if (at > bytesMax || (at < 0 && this.#buffer.length > bytesMax + delimiter.length)) return null;
      if (at >= 0) {
        const before = this.#buffer.subarray(0, at);
        this.#buffer = this.#buffer.subarray(at + delimiter.length);
        return before;
      }
      if (!(await this.#readMore())) throw badRequest("The multipart form is incomplete.");
    }
  }

  /** Streams the bytes before `delimiter`, which is consumed. */
  async *body(delimiter: Buffer): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#buffer.indexOf(delimiter);
      const safeLength = at >= 0 ? at : this.#buffer.length - partialDelimiterLength(this.#buffer, delimiter);
      if (safeLength > 0) {
        const chunk = this.#buffer.subarray(0, safeLength);
        this.#buffer = this.#buffer.subarray(safeLength);
        yield chunk;
      }
      if (at >= 0) {
        this.#buffer = this.#buffer.subarray(delimiter.length);
        return;
      }
      if (!(await this.#readMore())) throw badRequest("The multipart form is incomplete.");
    }
  }
}
