/** The framing between parent and child: a JSON head and a binary body, each with a length prefix. */

export interface Frame {
  head: Record<string, unknown>;
  body: Uint8Array;
}

const prefixBytes = 8;
const emptyBody = new Uint8Array();

export function encodeFrame(head: Record<string, unknown>, body: Uint8Array = emptyBody): Uint8Array {
  const text = Buffer.from(JSON.stringify(head));
  const frame = Buffer.allocUnsafe(prefixBytes + text.length + body.length);
  frame.writeUInt32BE(text.length, 0);
  frame.writeUInt32BE(body.length, 4);
  frame.set(text, prefixBytes);
  frame.set(body, prefixBytes + text.length);
  return frame;
}

/** Parses messages from a pipe incrementally. Throws if one is malformed or longer than `bytesMax`. */
export class FrameReader {
  /** Bytes received since the last message. */
  #pieces: Uint8Array[] = [];
  #length = 0;
  /** Bytes needed for the next message, or for its length prefix. */
  #neededBytes = prefixBytes;
  constructor(readonly bytesMax: number) {}

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  next(): Frame | null {
    if (this.#length < this.#neededBytes) return null;
    const buffered =
      this.#pieces.length === 1 ? (this.#pieces[0] as Uint8Array) : Buffer.concat(this.#pieces);
    const lengths = frameLengths(buffered, this.bytesMax);
    const end = prefixBytes + lengths.head + lengths.body;
    if (buffered.length < end) {
      this.#buffer(buffered, end);
      return null;
    }
    const frame = decodeFrame(buffered.subarray(prefixBytes, end), lengths.head);
    this.#buffer(buffered.subarray(end), prefixBytes);
    return frame;
  }

  #buffer(rest: Uint8Array, neededBytes: number): void {
    this.#pieces = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    this.#neededBytes = neededBytes;
  }
}

/** Reads one message from a blocking pipe: `read` returns exactly the requested number of bytes. */
export function readFrame(read: (length: number) => Uint8Array, bytesMax: number): Frame {
  const { head, body } = frameLengths(read(prefixBytes), bytesMax);
  return decodeFrame(read(head + body), head);
}

function frameLengths(prefix: Uint8Array, bytesMax: number): { head: number; body: number } {
  const view = new DataView(prefix.buffer, prefix.byteOffset, prefixBytes);
  const lengths = { head: view.getUint32(0), body: view.getUint32(4) };
  if (lengths.head + lengths.body > bytesMax) throw new RangeError("a message is too long");
  return lengths;
}

function decodeFrame(bytes: Uint8Array, headLength: number): Frame {
  const head: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(0, headLength)));
  if (typeof head !== "object" || head === null) throw new TypeError("a message without a head");
  return { head: head as Frame["head"], body: bytes.subarray(headLength) };
}
