/**
 * Indexes JSON text (RFC 8259) in one pass, without making values of it. `JSON.parse` of a hostile body of
 * some megabytes takes seconds and a hundred times its size in memory, and would decode every prompt in an
 * honest one.
 */
import { isUtf8 } from "node:buffer";
import { measureJson } from "../../../core/lib/json-extent.ts";
import { badRequest, type Problem, tooLarge } from "../../../core/problem.ts";
import { JsonTape } from "./json-tape.ts";

/** Deeper than any record of an SDK, whose values nest four levels each. */
const depthMax = 512;

const [quote, backslash, comma, colon, minus, dot] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2e];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const words = ["true", "false", "null"].map((word) => Buffer.from(word));

const malformed = (): Problem => badRequest("The body is not valid JSON.");

/** Names and values of a body. A dense one of 16 MiB has as many, and its tape takes 24 MB. */
const entriesMax = 3_000_000;
/** Bytes that are read in a step, which take some milliseconds. */
const sliceBytes = 2 ** 19;

/**
 * Indexes a body, in steps.
 * @param isSequence whether several JSON texts may follow each other, as lines do
 * @throws {Problem} 400 unless it is valid JSON in UTF-8, nested at most 512 levels deep; 413 for more than
 * three million names and values
 */
export function* indexJson(body: Buffer, isSequence = false): Generator<void, JsonTape> {
  if (!isUtf8(body)) throw badRequest("The body is not valid UTF-8.");
  const { values, names } = measureJson(body, entriesMax);
  yield;
  if (values + names > entriesMax)
    throw tooLarge(`The body can have at most ${entriesMax} names and values. Send smaller batches.`);
  return yield* new Indexer(body, values + names).index(isSequence);
}

class Indexer {
  readonly #tape: Int32Array;
  #length = 0;
  #at = 0;
  /** The entries of the containers that are open. */
  readonly #open = new Int32Array(depthMax);
  #depth = 0;

  /** @param entriesMax names and values, as far as it is JSON */
  constructor(
    readonly body: Buffer,
    entriesMax: number,
  ) {
    this.#tape = new Int32Array(2 * entriesMax);
  }

  *index(isSequence: boolean): Generator<void, JsonTape> {
    let sliceEnd = sliceBytes;
    this.#skipSpace();
    do {
      this.#addValue();
      if (this.#at < sliceEnd) continue;
      sliceEnd = this.#at + sliceBytes;
      yield;
    } while ((this.#depth > 0 && this.#next()) || (isSequence && this.#at < this.body.length));
    if (this.#at < this.body.length) throw malformed();
    return new JsonTape(this.body, this.#tape.subarray(0, this.#length));
  }

  /** Adds a scalar or an empty container, or opens a container up to its first value. */
  #addValue(): void {
    for (;;) {
      const entry = this.#push();
      const byte = this.body[this.#at];
      const isObject = byte === openBrace;
      if (isObject || byte === openBracket) {
        this.#at++;
        this.#skipSpace();
        if (this.body[this.#at] !== (isObject ? closeBrace : closeBracket)) {
          if (this.#depth === depthMax)
            throw badRequest(`The body is nested more than ${depthMax} levels deep.`);
          this.#open[this.#depth++] = entry;
          if (isObject) this.#addName();
          continue;
        }
        this.#at++;
        this.#tape[entry + 1] = this.#length;
      } else {
        this.#skipScalar(byte);
        this.#tape[entry + 1] = this.#at;
      }
      this.#skipSpace();
      return;
    }
  }

  /** Closes the containers that end here. @returns whether another value follows */
  #next(): boolean {
    while (this.#depth > 0) {
      const entry = this.#open[this.#depth - 1] as number;
      const isObject = this.body[this.#tape[entry] as number] === openBrace;
      const byte = this.body[this.#at++];
      this.#skipSpace();
      if (byte === comma) {
        if (isObject) this.#addName();
        return true;
      }
      if (byte !== (isObject ? closeBrace : closeBracket)) throw malformed();
      this.#tape[entry + 1] = this.#length;
      this.#depth--;
    }
    return false;
  }

  #addName(): void {
    const entry = this.#push();
    if (this.body[this.#at] !== quote) throw malformed();
    this.#skipString();
    this.#tape[entry + 1] = this.#at;
    this.#skipSpace();
    if (this.body[this.#at++] !== colon) throw malformed();
    this.#skipSpace();
  }

  /** Adds the entry of the value that begins here. */
  #push(): number {
    const entry = this.#length;
    if (entry === this.#tape.length) throw malformed(); // more than its commas and brackets say
    this.#length += 2;
    this.#tape[entry] = this.#at;
    return entry;
  }

  #skipSpace(): void {
    let byte = this.body[this.#at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = this.body[++this.#at];
  }

  #skipScalar(byte: number | undefined): void {
    if (byte === quote) this.#skipString();
    else if (byte === minus || isDigit(byte)) this.#skipNumber();
    else this.#skipWord(byte);
  }

  #skipWord(byte: number | undefined): void {
    const word = words.find((one) => one[0] === byte);
    if (!word?.equals(this.body.subarray(this.#at, this.#at + word.length))) throw malformed();
    this.#at += word.length;
  }

  #skipString(): void {
    const { body } = this;
    let at = this.#at + 1;
    for (let byte = body[at]; byte !== quote; byte = body[++at]) {
      if (byte === undefined || byte < 0x20) throw malformed();
      if (byte === backslash) at += escapeLength(body, at + 1);
    }
    this.#at = at + 1;
  }

  #skipNumber(): void {
    if (this.body[this.#at] === minus) this.#at++;
    const first = this.#at;
    this.#skipDigits();
    if (this.body[first] === 0x30 && this.#at > first + 1) throw malformed(); // a leading zero
    if (this.body[this.#at] === dot) {
      this.#at++;
      this.#skipDigits();
    }
    if (((this.body[this.#at] ?? 0) | 0x20) === 0x65) {
      const sign = this.body[++this.#at];
      if (sign === minus || sign === 0x2b) this.#at++;
      this.#skipDigits();
    }
  }

  #skipDigits(): void {
    const first = this.#at;
    while (isDigit(this.body[this.#at])) this.#at++;
    if (this.#at === first) throw malformed();
  }
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Bytes that can follow a backslash, `u` apart. */
const escapes = new Uint8Array(256);
for (const letter of '"\\/bfnrt') escapes[letter.charCodeAt(0)] = 1;
const letterU = 0x75;

/** How many bytes follow a backslash. */
function escapeLength(body: Buffer, at: number): number {
  const letter = body[at] ?? 0;
  if (escapes[letter] === 1) return 1;
  if (letter !== letterU) throw malformed();
  for (let digit = at + 1; digit <= at + 4; digit++) if (!isHexDigit(body[digit])) throw malformed();
  return 5;
}

const isHexDigit = (byte: number | undefined): boolean =>
  isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
