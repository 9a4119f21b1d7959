/** Attributes of a record, decoded when they are asked for: most records of a stream are not about usage. */
import type { Attributes, AttributeValue } from "../records.ts";
import { anyValue, keyValue, type MessageReader, type Slice } from "./schema.ts";

/** Longer text is a prompt or an answer, and none of what svc reads. */
const textBytesMax = 16 * 2 ** 10;
/** The attributes looked at. SDKs limit a record to 128. */
const attributesMax = 1_024;

export class LazyAttributes implements Attributes {
  #values: Map<string, Slice> | undefined;

  constructor(
    readonly reader: MessageReader,
    /** Start and end of each attribute. */
    readonly places: readonly number[] = [],
  ) {}

  get(key: string): AttributeValue | undefined {
    const slice = (this.#values ??= this.#index()).get(key);
    return slice && readValue(this.reader, slice, textBytesMax);
  }

  keys(): Iterable<string> {
    return (this.#values ??= this.#index()).keys();
  }

  #index(): Map<string, Slice> {
    const values = new Map<string, Slice>();
    const end = Math.min(this.places.length, 2 * attributesMax);
    for (let index = 0; index < end; index += 2) {
      const { key, value } = this.reader.read(sliceAt(this.places, index), keyValue);
      if (key !== undefined && value) values.set(key, value);
    }
    return values;
  }
}

/** The slice whose start is at this index of a list. */
export const sliceAt = (places: readonly number[], index: number): Slice => ({
  start: places[index] as number,
  end: places[index + 1] as number,
});

/** Undefined for arrays, maps and bytes. @param bytesMax longer text is undefined too */
export function readValue(reader: MessageReader, slice: Slice, bytesMax: number): AttributeValue | undefined {
  const { stringValue: text, boolValue, intValue, doubleValue } = reader.read(slice, anyValue);
  if (text) return text.end - text.start <= bytesMax ? reader.text(text) : undefined;
  return boolValue ?? intValue ?? doubleValue;
}
