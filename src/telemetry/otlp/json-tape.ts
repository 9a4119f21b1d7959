/**
 * Indexes JSON text (RFC 8259) in one pass, without making values of it. `JSON.parse` of a hostile body of
 * some megabytes takes seconds and a hundred times its size in memory, and would decode every prompt in an
 * honest one.
 */
import { badRequest, type Problem } from "../../problem.ts";

/** Deeper than any record of an SDK, whose values nest four levels each. */
const depthMax = 512;

const [quote, backslash, comma, colon, minus, dot] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2e];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];
const words = ["true", "false", "null"].map((word) => Buffer.from(word));

const malformed = (): Problem => badRequest("The body is not valid JSON.");

/**
 * Two entries for each value in the order of the text, member names included: where it begins in the body,
 * and where it ends. The end of an array or object is the index behind its last value in this list; that of
 * any other value is a place in the body.
 */
export type JsonTape = Int32Array;

/** Indexes a body. @throws {Problem} 400 unless it is one valid JSON text, nested at most 512 levels deep */
export const indexJson = (body: Buffer): JsonTape => new Indexer(body).index();

class Indexer {
  #tape: JsonTape;
  #length = 0;
  #at = 0;
  /** The entries of the containers that are open. */
  readonly #open = new Int32Array(depthMax);
  #depth = 0;

  constructor(readonly body: Buffer) {
    this.#tape = new Int32Array(64 + (body.length >> 3));
  }

  index(): JsonTape {
    this.#skipSpace();
    do this.#addValue();
    while (this.#depth > 0 && this.#next());
    if (this.#at < this.body.length) throw malformed();
    return this.#tape.subarray(0, this.#length);
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
    this.#length += 2;
    if (this.#length > this.#tape.length) {
      const larger = new Int32Array(this.#tape.length * 2);
      larger.set(this.#tape);
      this.#tape = larger;
    }
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

/** How many bytes follow a backslash. */
function escapeLength(body: Buffer, at: number): number {
  const letter = String.fromCharCode(body[at] ?? 0);
  if ('"\\/bfnrt'.includes(letter)) return 1;
  if (letter === "u" && /^[0-9a-fA-F]{4}$/.test(body.toString("latin1", at + 1, at + 5))) return 5;
  throw malformed();
}
