/**
 * Reads the JSON encoding: the JSON mapping of proto3 with hex ids and enums as integers
 * (opentelemetry.io/docs/specs/otlp, JSON Protobuf encoding). `null` is an absent field.
 */
import { isUtf8 } from "node:buffer";
import { badRequest } from "../../problem.ts";
import { indexJson, type JsonTape } from "./json-tape.ts";
import { exactNumber } from "./protobuf-reader.ts";
import type { Field, FieldType, MessageReader, MessageType, Slice, ValuesOf } from "./schema.ts";

const [quote, openBracket, openBrace, letterN] = [0x22, 0x5b, 0x7b, 0x6e];

export class JsonReader implements MessageReader {
  /** Places of messages are indexes of the tape; places of text are those of the body, with the quotes. */
  readonly root: Slice;
  readonly #tape: JsonTape;

  /** @throws {Problem} 400 unless the body is valid JSON in UTF-8 */
  constructor(readonly body: Buffer) {
    if (!isUtf8(body)) throw badRequest("The body is not valid UTF-8.");
    this.#tape = indexJson(body);
    this.root = { start: 0, end: this.#tape.length };
    if (this.#first(0) !== openBrace) throw badRequest("The body must be a JSON object.");
  }

  read<S extends MessageType["shape"] & {}>({ start, end }: Slice, type: MessageType<S>): ValuesOf<S> {
    const values: Record<string, unknown> = {};
    for (let name = start + 2; name < end; name = this.#behind(name + 2)) {
      const field = type.byName.get(this.text(this.#place(name)));
      if (field && this.#first(name + 2) !== letterN) values[field.name] = this.#value(field, name + 2);
    }
    return values as ValuesOf<S>;
  }

  /** Decodes a string. */
  text({ start, end }: Slice): string {
    const text = this.body.toString("utf8", start + 1, end - 1);
    return text.includes("\\") ? JSON.parse(`"${text}"`) : text;
  }

  /** The first byte of the value at this index of the tape. */
  #first(entry: number): number {
    return this.body[this.#tape[entry] as number] as number;
  }

  /** Where a string, number or word is in the body. */
  #place(entry: number): Slice {
    return { start: this.#tape[entry] as number, end: this.#tape[entry + 1] as number };
  }

  /** The index of the tape behind a value. */
  #behind(entry: number): number {
    const first = this.#first(entry);
    return first === openBrace || first === openBracket ? (this.#tape[entry + 1] as number) : entry + 2;
  }

  #value({ type, jsonName }: Field, entry: number): unknown {
    const first = this.#first(entry);
    switch (type) {
      case "message":
        if (first === openBrace) return { start: entry, end: this.#behind(entry) };
        throw badRequest(`${jsonName} must be an object.`);
      case "messages":
        if (first === openBracket) return this.#elements(entry, jsonName);
        throw badRequest(`${jsonName} must be a list of objects.`);
      case "text":
      case "string":
        if (first !== quote) throw badRequest(`${jsonName} must be a string.`);
        return type === "text" ? this.#place(entry) : this.text(this.#place(entry));
      default:
        return scalarOf(type, jsonName, this.#scalar(entry), first === quote);
    }
  }

  #elements(list: number, name: string): number[] {
    const places: number[] = [];
    const end = this.#behind(list);
    for (let entry = list + 2; entry < end; entry = this.#behind(entry)) {
      if (this.#first(entry) !== openBrace) throw badRequest(`${name} must be a list of objects.`);
      places.push(entry, this.#behind(entry));
    }
    return places;
  }

  /** The text of a string, else that of a number or word as it stands; empty for a list or an object. */
  #scalar(entry: number): string {
    const first = this.#first(entry);
    if (first === openBrace || first === openBracket) return "";
    const place = this.#place(entry);
    return first === quote ? this.text(place) : this.body.toString("latin1", place.start, place.end);
  }
}

const integer = /^-?\d{1,20}$/;
const doubles = /^(?:NaN|-?Infinity|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const int64Max = 2 ** 63;

/** Numbers are accepted with and without quotes: senders quote int64, and some quote doubles. */
function scalarOf(type: FieldType, name: string, text: string, isQuoted: boolean): unknown {
  if (type === "bool") {
    if (!isQuoted && (text === "true" || text === "false")) return text === "true";
    throw badRequest(`${name} must be true or false.`);
  }
  if (type === "id") {
    if (isQuoted) return text.toLowerCase();
    throw badRequest(`${name} must be a string of hex digits.`);
  }
  if (type === "double") {
    if (doubles.test(text)) return Number(text);
    throw badRequest(`${name} must be a number.`);
  }
  const isExact = integer.test(text);
  if (
    !isExact &&
    !(doubles.test(text) && Number.isInteger(Number(text)) && Math.abs(Number(text)) < int64Max)
  )
    throw badRequest(`${name} must be an integer.`);
  if (type === "enum") return Number(text);
  const value = BigInt(isExact ? text : Number(text));
  return type === "nanos" ? BigInt.asUintN(64, value) : exactNumber(BigInt.asIntN(64, value));
}
