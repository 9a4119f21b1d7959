/**
 * Reads the JSON encoding: the JSON mapping of proto3 with hex ids and enums as integers
 * (opentelemetry.io/docs/specs/otlp, JSON Protobuf encoding), and as generic protobuf libraries write it: ids
 * in base64, names of enums, names of fields with underscores. `null` is an absent field.
 */
import { badRequest } from "../../../core/problem.ts";
import type { JsonTape } from "./json-tape.ts";
import { exactNumber } from "./protobuf-reader.ts";
import {
  type Field,
  MalformedField,
  type MessageReader,
  type MessageType,
  type Slice,
  type ValuesOf,
} from "./schema.ts";

const [quote, letterN] = [0x22, 0x6e];

export class JsonReader implements MessageReader {
  /** Places of messages are entries of the tape; places of text are those of the body, with the quotes. */
  readonly root: Slice;

  /** @throws {Problem} 400 unless the body is an object */
  constructor(readonly tape: JsonTape) {
    this.root = { start: 0, end: tape.end };
    if (!tape.isObject(0)) throw badRequest("The body must be a JSON object.");
  }

  read<S extends MessageType["shape"] & {}>({ start }: Slice, type: MessageType<S>): ValuesOf<S> {
    const { tape } = this;
    const values: Record<string, unknown> = {};
    let hasOther = false;
    for (const name of tape.names(start)) {
      const field = type.byName.get(tape.name(name));
      if (!field) hasOther ||= tape.isArray(name + 2) || tape.isObject(name + 2);
      else if (tape.first(name + 2) !== letterN) values[field.name] = this.#value(field, name + 2);
    }
    const { list } = type;
    if (list && hasOther && values[list.name] === undefined)
      throw badRequest(`${list.jsonName} is missing. Check the path, and the names of the fields.`);
    return values as ValuesOf<S>;
  }

  text(place: Slice): string {
    return this.tape.text(place);
  }

  #value(field: Field, entry: number): unknown {
    const { tape } = this;
    const { type, jsonName } = field;
    const isText = tape.first(entry) === quote;
    switch (type) {
      case "message":
        if (tape.isObject(entry)) return { start: entry, end: tape.behind(entry) };
        throw new MalformedField(`${jsonName} must be an object`);
      case "messages":
        if (tape.isArray(entry)) return this.#elements(entry, jsonName);
        throw new MalformedField(`${jsonName} must be a list of objects`);
      case "text":
      case "string":
        if (!isText) throw new MalformedField(`${jsonName} must be a string`);
        return type === "text" ? tape.place(entry) : tape.text(tape.place(entry));
      default:
        return scalarOf(field, this.#scalar(entry), isText);
    }
  }

  #elements(list: number, name: string): number[] {
    const { tape } = this;
    const places: number[] = [];
    for (const entry of tape.elements(list)) {
      if (!tape.isObject(entry)) throw new MalformedField(`${name} must be a list of objects`);
      places.push(entry, tape.behind(entry));
    }
    return places;
  }

  /** The text of a string, else that of a number or word as it stands; empty for a list or an object. */
  #scalar(entry: number): string {
    const { tape } = this;
    if (tape.isObject(entry) || tape.isArray(entry)) return "";
    const place = tape.place(entry);
    return tape.first(entry) === quote
      ? tape.text(place)
      : tape.body.toString("latin1", place.start, place.end);
  }
}

const integer = /^-?\d{1,20}$/;
const doubles = /^(?:NaN|-?Infinity|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const int64Max = 2 ** 63;

/** Numbers are accepted with and without quotes: senders quote int64, and some quote doubles. */
function scalarOf({ type, jsonName: name, values }: Field, text: string, isQuoted: boolean): unknown {
  if (type === "bool") {
    if (!isQuoted && (text === "true" || text === "false")) return text === "true";
    throw new MalformedField(`${name} must be true or false`);
  }
  if (type === "id") return isQuoted ? idOf(text) : "";
  if (type === "enum" && isQuoted && !integer.test(text)) return enumValue(text, values);
  if (type === "double") {
    if (doubles.test(text)) return Number(text);
    throw new MalformedField(`${name} must be a number`);
  }
  const isExact = integer.test(text);
  if (
    !isExact &&
    !(doubles.test(text) && Number.isInteger(Number(text)) && Math.abs(Number(text)) < int64Max)
  )
    throw new MalformedField(`${name} must be an integer`);
  if (type === "enum") return Number(text);
  const value = BigInt(isExact ? text : Number(text));
  return type === "nanos" ? BigInt.asUintN(64, value) : exactNumber(BigInt.asIntN(64, value));
}

/** A name that is not known means what 0 does. */
const enumValue = (name: string, values: readonly string[] = []): number =>
  Math.max(0, values.indexOf(name.toUpperCase().replace(/^.*_/, "")));

/** 8 or 16 bytes, also of the URL alphabet and without padding. */
const base64Id = /^(?:[\w+/-]{11}=?|[\w+/-]{22}(?:==)?)$/;

const idOf = (text: string): string =>
  base64Id.test(text) ? Buffer.from(text, "base64").toString("hex") : text.toLowerCase();
