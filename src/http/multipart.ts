/**
 * multipart/form-data (RFC 7578), as a stream: a part is read before the next one is looked for, nothing is
 * held in memory.
 */

import type { Pace } from "../lib/body-budget.ts";
import { bodyChunks, callerPace } from "../lib/request-body.ts";
import { badRequest, unsupportedMediaType } from "../problem.ts";

export interface Part {
  name: string;
  /** Null: a field. */
  filename: string | null;
  /** To be read to its end, or left: the parser passes over the rest. */
  body: AsyncGenerator<Uint8Array>;
}

const headBytesMax = 16 * 2 ** 10;
const partsMax = 64;
const headEnd = Buffer.from("\r\n\r\n");

export async function* readParts(request: Request, pace: Pace = callerPace): AsyncGenerator<Part> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(request)}`);
  const chunks = bodyChunks(request, pace);
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
      const head = await input.upTo(headEnd, headBytesMax);
      if (head === null)
        throw badRequest(`The headers of a form part are malformed or longer than ${headBytesMax} bytes.`);
      const body = input.body(delimiter);
      yield { ...readHead(head.toString("utf8")), body };
      for await (const _ of body); // what nobody read
    }
  } finally {
    chunks.return(undefined).catch(() => {}); // not waited for: the rest may never come
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
 * A parameter, with quotes escaped as %22 (browsers) or by a backslash (others); where its exact value is
 * encoded beside it, that one.
 */
function parameter(name: string): (disposition: string) => string | undefined {
  const shape = (value: string) => new RegExp(`;\\s*${name}=${value}`, "i");
  // To a browser a backslash means nothing, so it may stand before the last quote.
  const quotes = [shape(String.raw`"((?:[^"\\]|\\.)*)"`), shape('"([^"]*)"')];
  const bare = shape(String.raw`([^\s;"]+)`);
  const encoded = new RegExp(String.raw`;\s*${name}\*=utf-8'[\w-]*'([^\s;"]+)`, "i");
  return (disposition) => {
    const exact = decoded(encoded.exec(disposition)?.[1]);
    if (exact !== null) return exact;
    const quoted = quotes.map((one) => one.exec(disposition)).find((found) => found !== null)?.[1];
    return (
      quoted
        ?.replace(/\\(["\\])/g, "$1")
        .replace(/%22/g, '"')
        .replace(/%0D%0A|%0A|%0D/gi, " ") ?? bare.exec(disposition)?.[1]
    );
  };
}
/**
 * As RFC 8187 has it: reqwest (Rust) and aiohttp (Python) send names with a percent sign so. Null where it
 * cannot be read.
 */
function decoded(text: string | undefined): string | null {
  try {
    return text === undefined ? null : decodeURIComponent(text);
  } catch {
    return null;
  }
}

const [nameIn, filenameIn] = [parameter("name"), parameter("filename")];

/** `Content-Disposition: form-data; name="…"; filename="…"`. */
function readHead(head: string): Pick<Part, "name" | "filename"> {
  const disposition = head.split("\r\n").find((line) => /^content-disposition:/i.test(line)) ?? "";
  const name = nameIn(disposition);
  if (!/^content-disposition:\s*form-data\b/i.test(disposition) || !name)
    throw badRequest("A part of the form has no name.");
  return { name, filename: filenameIn(disposition) ?? null };
}

/**
 * How many bytes at the end may be the beginning of the delimiter: mostly none, so that nothing has to be
 * held and copied.
 */
function begun(bytes: Buffer, delimiter: Buffer): number {
  for (let at = Math.max(0, bytes.length - delimiter.length + 1); ; at++) {
    at = bytes.indexOf(delimiter[0] as number, at);
    if (at < 0) return 0;
    if (delimiter.subarray(0, bytes.length - at).equals(bytes.subarray(at))) return bytes.length - at;
  }
}

/** The bytes of a request, of which only as many are held as the search for the next mark needs. */
class Input {
  #held: Buffer = Buffer.alloc(0);
  #ended = false;
  constructor(readonly chunks: AsyncGenerator<Uint8Array>) {}

  async #more(): Promise<boolean> {
    const next = this.#ended ? { done: true as const, value: undefined } : await this.chunks.next();
    if (next.done) {
      this.#ended = true;
      return false;
    }
    this.#held = this.#held.length
      ? Buffer.concat([this.#held, next.value])
      : Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    return true;
  }

  async take(length: number): Promise<Buffer> {
    while (this.#held.length < length)
      if (!(await this.#more())) throw badRequest("The multipart form is incomplete.");
    const taken = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return taken;
  }

  /** What stands before the mark, and steps behind it; null where more than `bytesMax` do. */
  async upTo(mark: Buffer, bytesMax: number): Promise<Buffer | null> {
    for (;;) {
      const at = this.#held.indexOf(mark);
      if (at > bytesMax || (at < 0 && this.#held.length > bytesMax + mark.length)) return null;
      if (at >= 0) {
        const before = this.#held.subarray(0, at);
        this.#held = this.#held.subarray(at + mark.length);
        return before;
      }
      if (!(await this.#more())) throw badRequest("The multipart form is incomplete.");
    }
  }

  /** Everything before the delimiter, as it comes, and steps behind it. */
  async *body(delimiter: Buffer): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#held.indexOf(delimiter);
      const sure = at >= 0 ? at : this.#held.length - begun(this.#held, delimiter);
      if (sure > 0) {
        const chunk = this.#held.subarray(0, sure);
        this.#held = this.#held.subarray(sure);
        yield chunk;
      }
      if (at >= 0) {
        this.#held = this.#held.subarray(delimiter.length);
        return;
      }
      if (!(await this.#more())) throw badRequest("The multipart form is incomplete.");
    }
  }
}
