/** Reads the records of an OTLP request. */
import { tooLarge } from "../../../core/problem.ts";
import type { Attributes, AttributeValue, LogRecord, SpanRecord, TelemetryRecord } from "../records.ts";
import {
  anyValue,
  keyValue,
  keyValueList,
  logRecord,
  MalformedField,
  type MessageReader,
  recordsMax,
  resource,
  type Signal,
  type Slice,
  scope,
  signals,
  span,
  status,
} from "./schema.ts";

/** Longer text is a prompt or an answer, and none of what svc reads. */
const textBytesMax = 16 * 2 ** 10;
/** The attributes looked at. SDKs limit a record to 128. */
const attributesMax = 1_024;
/** Attributes with the values in maps of usage, and the depth of these. */
const [valuesMax, depthMax] = [2 * attributesMax, 3];
const usageMap = /^(?:gen_ai|llm|ai)\.usage(?:\.|$)/;

/** Attributes of a record, decoded when they are asked for: most records of a stream are not about usage. */
class LazyAttributes implements Attributes {
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
    this.#add(values, this.places);
    return values;
  }

  /** Adds attributes, and what is in a map of usage by its path: `gen_ai.usage.details.cache_read_tokens`. */
  #add(values: Map<string, Slice>, places: readonly number[], path = "", depth = 0): void {
    for (const slice of slicesOf(places.slice(0, 2 * attributesMax))) {
      const { key, value } = this.reader.read(slice, keyValue);
      if (key === undefined || !value || values.size >= valuesMax) continue;
      values.set(path + key, value);
      const map =
        depth < depthMax && usageMap.test(path + key) && this.reader.read(value, anyValue).kvlistValue;
      if (map)
        this.#add(values, this.reader.read(map, keyValueList).values ?? [], `${path}${key}.`, depth + 1);
    }
  }
}

/** The slice whose start is at this index of a list. */
const sliceAt = (places: readonly number[], index: number): Slice => ({
  start: places[index] as number,
  end: places[index + 1] as number,
});

/** Undefined for arrays, maps and bytes. @param bytesMax longer text is undefined too */
function readValue(reader: MessageReader, slice: Slice, bytesMax: number): AttributeValue | undefined {
  const { stringValue: text, boolValue, intValue, doubleValue } = reader.read(slice, anyValue);
  if (text) return text.end - text.start <= bytesMax ? reader.text(text) : undefined;
  return boolValue ?? intValue ?? doubleValue;
}

/** What the records of one scope share. */
type Origin = Pick<LogRecord, "resource" | "scope">;
type ReadRecord = (reader: MessageReader, slice: Slice, origin: Origin) => TelemetryRecord;

const readers: Record<Exclude<Signal, "metrics">, ReadRecord> = { logs: readLog, traces: readSpan };

/**
 * The records, one at a time, as they are read; for one that cannot be, why.
 * @throws {Problem} 400 if the body is malformed, 413 for more than 50,000 records, or resources and scopes
 */
export function* readRecords(
  reader: MessageReader,
  signal: Signal,
): Generator<TelemetryRecord | MalformedField> {
  const types = signals[signal];
  // What metrics count is in the logs and spans of the same sender.
  if (signal === "metrics") return void reader.read(reader.root, types.request);
  const [takeContainer, takeRecord] = [counter("resources and scopes"), counter("records")];
  for (const inRequest of slicesOf(reader.read(reader.root, types.request).resources)) {
    takeContainer();
    const { resource: slice, scopes } = reader.read(inRequest, types.resources);
    const attributes = new LazyAttributes(reader, slice && reader.read(slice, resource).attributes);
    for (const inResource of slicesOf(scopes)) {
      takeContainer();
      const { scope: scopeSlice, items } = reader.read(inResource, types.scopes);
      const name = (scopeSlice && reader.read(scopeSlice, scope).name) ?? "";
      for (const item of slicesOf(items)) {
        takeRecord();
        yield malformedOr(() => readers[signal](reader, item, { resource: attributes, scope: name }));
      }
    }
  }
}

/** What a reader returns, or the field that it could not read. */
function malformedOr<T>(read: () => T): T | MalformedField {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedField) return error;
    throw error;
  }
}

/** @throws {Problem} 413 at the 50,001st call */
function counter(what: string): () => void {
  let count = 0;
  return () => {
    if (++count > recordsMax)
      throw tooLarge(`A request can have at most ${recordsMax} ${what}. Send smaller batches.`);
  };
}

function* slicesOf(places: readonly number[] = []): Generator<Slice> {
  for (let index = 0; index < places.length; index += 2) yield sliceAt(places, index);
}

/** A longer body is the text of a log line, or a prompt, and no name of an event. */
const nameBytesMax = 256;

function readLog(reader: MessageReader, slice: Slice, origin: Origin): LogRecord {
  const { eventName, body, timeUnixNano, observedTimeUnixNano, ...fields } = reader.read(slice, logRecord);
  const attributes = new LazyAttributes(reader, fields.attributes);
  return {
    signal: "log",
    ...origin,
    attributes,
    name:
      eventName || textOf(attributes.get("event.name") ?? (body && readValue(reader, body, nameBytesMax))),
    timeNanos: timeUnixNano || observedTimeUnixNano || 0n,
    traceId: idOf(fields.traceId, 32),
    spanId: idOf(fields.spanId, 16),
  };
}

function readSpan(reader: MessageReader, slice: Slice, origin: Origin): SpanRecord {
  const fields = reader.read(slice, span);
  return {
    signal: "span",
    ...origin,
    name: fields.name ?? "",
    kind: fields.kind ?? 0,
    startNanos: fields.startTimeUnixNano ?? 0n,
    endNanos: fields.endTimeUnixNano ?? 0n,
    attributes: new LazyAttributes(reader, fields.attributes),
    traceId: idOf(fields.traceId, 32),
    spanId: idOf(fields.spanId, 16),
    parentSpanId: idOf(fields.parentSpanId, 16),
    failed: fields.status !== undefined && reader.read(fields.status, status).code === errorCode,
  };
}

/** `STATUS_CODE_ERROR`. */
const errorCode = 2;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** An id of this many hex digits; empty for any other text, and for zeros, which mean that there is none. */
const idOf = (id: string | undefined, digits: number): string =>
  id !== undefined && id.length === digits && /^[0-9a-f]+$/.test(id) && /[^0]/.test(id) ? id : "";
