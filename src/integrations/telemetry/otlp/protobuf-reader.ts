/**
 * Reads the protobuf encoding (protobuf.dev/programming-guides/encoding). A message is read one level deep:
 * the messages in it stay slices of the body until they are read themselves.
 */
import { internedText } from "../../../core/lib/strings/interned-text.ts";
import { badRequest, type Problem } from "../../../core/problem.ts";
import {
  type FieldType,
  type MessageReader,
  type MessageType,
  messageFieldsMax,
  type Slice,
  tooManyFields,
  type ValuesOf,
} from "./schema.ts";

const [varint, fixed64, lengthDelimited, fixed32] = [0, 1, 2, 5];

/** A field whose wire type is not this one is unknown, as for every protobuf parser, and skipped. */
const wireTypes: Record<FieldType, number> = {
  message: lengthDelimited,
  messages: lengthDelimited,
  text: lengthDelimited,
  string: lengthDelimited,
  id: lengthDelimited,
  nanos: fixed64,
  double: fixed64,
  int64: varint,
  enum: varint,
  bool: varint,
};

const malformed = (): Problem =>
  badRequest(
    "The body is not a valid protobuf message of OTLP. Check its Content-Type and Content-Encoding.",
  );

export class ProtobufReader implements MessageReader {
  readonly root: Slice;
  /** The next byte to read, and the end of the message it belongs to. */
  #at = 0;
  #end = 0;

  constructor(readonly body: Buffer) {
    this.root = { start: 0, end: body.length };
  }

  read<S extends MessageType["shape"] & {}>(slice: Slice, type: MessageType<S>): ValuesOf<S> {
    const values: Record<string, unknown> = {};
    this.#at = slice.start;
    this.#end = slice.end;
    for (let count = 1; this.#at < slice.end; count++) {
      if (count > messageFieldsMax) throw tooManyFields();
      const tag = this.#readUnsigned();
      const wireType = tag & 7;
      const number = (tag - wireType) / 8;
      if (number === 0) throw malformed();
      const field = type.byNumber.get(number);
      const start = this.#at;
      const end = this.#skip(wireType);
      if (!field || wireTypes[field.type] !== wireType) continue;
      if (field.type === "messages") ((values[field.name] ??= []) as number[]).push(this.#payload, end);
      else values[field.name] = this.#value(field.type, start, end);
    }
    return values as ValuesOf<S>;
  }

  text({ start, end }: Slice): string {
    return this.body.toString("utf8", start, end);
  }

  /** Where the payload of the field that was skipped last begins, if it has a length. */
  #payload = 0;

  /** Moves behind a value. @returns its end */
  #skip(wireType: number): number {
    if (wireType === varint) this.#skipVarint();
    else if (wireType === fixed64) this.#at += 8;
    else if (wireType === fixed32) this.#at += 4;
    else if (wireType === lengthDelimited) {
      const length = this.#readUnsigned();
      this.#payload = this.#at;
      this.#at += length;
    } else throw malformed(); // groups, which OTLP never had
    if (this.#at > this.#end) throw malformed();
    return this.#at;
  }

  #value(type: FieldType, start: number, end: number): unknown {
    const { body } = this;
    switch (type) {
      case "string":
        return internedText(body, this.#payload, end);
      case "id":
        return body.toString("hex", this.#payload, Math.min(end, this.#payload + idBytesMax));
      case "nanos":
        return body.readBigUInt64LE(start);
      case "double":
        return body.readDoubleLE(start);
      case "int64":
        return this.#int64(start);
      case "enum":
        return Number(this.#int64(start));
      case "bool":
        return this.#int64(start) !== 0;
      default:
        return { start: this.#payload, end };
    }
  }

  /** A tag or a length. Larger ones than 32 bits cannot be right. */
  #readUnsigned(): number {
    let value = 0;
    for (let shift = 1; shift <= 2 ** 28; shift *= 128) {
      if (this.#at >= this.#end) throw malformed();
      const byte = this.body[this.#at++] as number;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
    throw malformed();
  }

  #skipVarint(): void {
    const most = this.#at + varintBytesMax;
    while (this.#at < this.#end && this.#at < most) if ((this.body[this.#at++] as number) < 128) return;
    throw malformed();
  }

  /** A varint that was skipped before, so it is complete. */
  #int64(start: number): number | bigint {
    let value = 0n;
    let small = 0;
    for (let index = 0; ; index++) {
      const byte = this.body[start + index] as number;
      if (index < 4) small += (byte & 127) * 128 ** index;
      else if (index === 4) value = BigInt(small);
      if (index >= 4) value |= BigInt(byte & 127) << BigInt(7 * index);
      if (byte < 128) return index < 4 ? small : exactNumber(BigInt.asIntN(64, value));
    }
  }
}

const varintBytesMax = 10;
/** Ids have 8 or 16 bytes; of a longer one this shows that it is none. */
const idBytesMax = 17;

/** An int64 as a number if it is exact, else as a bigint. */
export const exactNumber = (value: bigint): number | bigint =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value;
