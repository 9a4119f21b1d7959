/**
 * Where the values of a JSON text are. An entry is the place of a value, or of a member's name, on the tape.
 */
import { internedText } from "../../../core/lib/strings/interned-text.ts";
import type { Fields } from "../sources/usage-counts.ts";
import { messageFieldsMax, type Slice, tooManyFields } from "./schema.ts";

const [quote, openBracket, openBrace] = [0x22, 0x5b, 0x7b];

/** Larger values are not made. */
const [entriesMax, textBytesMax] = [2_000, 16 * 2 ** 10];

export class JsonTape {
  /**
   * @param tape two numbers for each value in the order of the text, member names included: where it begins
   * in the body, and where it ends. The end of an array or object is the entry behind its last value; that of
   * any other value is a place in the body.
   */
  constructor(
    readonly body: Buffer,
    readonly tape: Int32Array,
  ) {}

  /** The entry behind the last value. */
  get end(): number {
    return this.tape.length;
  }

  /** The first byte of a value. */
  first(entry: number): number {
    return this.body[this.tape[entry] as number] as number;
  }

  isObject(entry: number): boolean {
    return this.first(entry) === openBrace;
  }

  isArray(entry: number): boolean {
    return this.first(entry) === openBracket;
  }

  /** Where a string, number or word is in the body. */
  place(entry: number): Slice {
    return { start: this.tape[entry] as number, end: this.tape[entry + 1] as number };
  }

  /** The entry behind a value. */
  behind(entry: number): number {
    return this.isObject(entry) || this.isArray(entry) ? (this.tape[entry + 1] as number) : entry + 2;
  }

  /** Decodes a string, given where it is with its quotes. */
  text({ start, end }: Slice): string {
    const text = this.body.toString("utf8", start + 1, end - 1);
    return text.includes("\\") ? JSON.parse(`"${text}"`) : text;
  }

  /** Decodes the name of a member. */
  name(entry: number): string {
    const { start, end } = this.place(entry);
    const name = internedText(this.body, start + 1, end - 1);
    return name.includes("\\") ? this.text({ start, end }) : name;
  }

  /** The entries of the elements of an array. @throws {Problem} 413 at the 100,001st */
  *elements(array: number): Generator<number> {
    const end = this.behind(array);
    let count = 0;
    for (let entry = array + 2; entry < end; entry = this.behind(entry)) {
      if (++count > messageFieldsMax) throw tooManyFields();
      yield entry;
    }
  }

  /** The entries of the texts of a sequence. */
  *texts(): Generator<number> {
    for (let entry = 0; entry < this.end; entry = this.behind(entry)) yield entry;
  }

  /**
   * The entries of the names in an object. Each value is two behind its name.
   * @throws {Problem} 413 at the 100,001st
   */
  *names(object: number): Generator<number> {
    const end = this.behind(object);
    let count = 0;
    for (let name = object + 2; name < end; name = this.behind(name + 2)) {
      if (++count > messageFieldsMax) throw tooManyFields();
      yield name;
    }
  }

  /** The value itself; undefined for text of more than 16 KiB, and for anything of more than 1,000 values. */
  value(entry: number): unknown {
    if (this.behind(entry) - entry > entriesMax) return undefined;
    if (this.isArray(entry)) return [...this.elements(entry)].map((element) => this.value(element));
    if (this.isObject(entry))
      return Object.fromEntries(
        [...this.names(entry)].map((name) => [this.name(name), this.value(name + 2)]),
      );
    const place = this.place(entry);
    if (place.end - place.start > textBytesMax) return undefined;
    return this.first(entry) === quote
      ? this.text(place)
      : JSON.parse(this.body.toString("latin1", place.start, place.end));
  }
}

/** The names of fields; of an object, those in it. */
export interface FieldNames {
  [name: string]: true | FieldNames;
}

/** The fields with these names that are not too large (see JsonTape); null for anything but an object. */
export function readFields(tape: JsonTape, entry: number, names: FieldNames): Fields | null {
  if (!tape.isObject(entry)) return null;
  const fields: Fields = {};
  for (const entryOfName of tape.names(entry)) {
    const name = tape.name(entryOfName);
    const wanted = Object.hasOwn(names, name) ? names[name] : undefined;
    if (wanted === true) fields[name] = tape.value(entryOfName + 2);
    else if (wanted) fields[name] = readFields(tape, entryOfName + 2, wanted);
  }
  return fields;
}
