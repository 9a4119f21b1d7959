/** Reads the records of an OTLP request. */
import { tooLarge } from "../../../core/problem.ts";
import type { LogRecord, PointRecord, SpanRecord, TelemetryRecord } from "../records.ts";
import { LazyAttributes, readValue, sliceAt } from "./attributes.ts";
import { recordsMax } from "./limits.ts";
import {
  logRecord,
  type MessageReader,
  metric,
  numberPoint,
  numbers,
  resource,
  type Signal,
  type Slice,
  scope,
  signals,
  span,
  status,
} from "./schema.ts";

/** What the records of one scope share. */
type Origin = Pick<LogRecord, "resource" | "scope">;
type ReadItem = (reader: MessageReader, slice: Slice, origin: Origin) => Iterable<TelemetryRecord>;

const readers: Record<Signal, ReadItem> = { logs: readLog, traces: readSpan, metrics: readPoints };

/**
 * The records, one at a time, as they are read.
 * @throws {Problem} 400 if the body is malformed, 413 for more than 50,000 records, or resources and scopes
 */
export function* readRecords(reader: MessageReader, signal: Signal): Generator<TelemetryRecord> {
  const types = signals[signal];
  const readItem = readers[signal];
  const [takeContainer, takeItem] = [counter("resources and scopes"), counter("items")];
  const takeRecord = counter("records");
  for (const inRequest of slicesOf(reader.read(reader.root, types.request).resources)) {
    takeContainer();
    const { resource: slice, scopes } = reader.read(inRequest, types.resources);
    const attributes = new LazyAttributes(reader, slice && reader.read(slice, resource).attributes);
    for (const inResource of slicesOf(scopes)) {
      takeContainer();
      const { scope: scopeSlice, items } = reader.read(inResource, types.scopes);
      const name = (scopeSlice && reader.read(scopeSlice, scope).name) ?? "";
      for (const item of slicesOf(items)) {
        takeItem();
        for (const record of readItem(reader, item, { resource: attributes, scope: name })) {
          takeRecord();
          yield record;
        }
      }
    }
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

function* readLog(reader: MessageReader, slice: Slice, origin: Origin): Generator<LogRecord> {
  const { eventName, body, timeUnixNano, observedTimeUnixNano, ...fields } = reader.read(slice, logRecord);
  const attributes = new LazyAttributes(reader, fields.attributes);
  yield {
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

function* readSpan(reader: MessageReader, slice: Slice, origin: Origin): Generator<SpanRecord> {
  const fields = reader.read(slice, span);
  yield {
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

/** The points of a sum or a gauge; other kinds of metrics are skipped. */
function* readPoints(reader: MessageReader, slice: Slice, origin: Origin): Generator<PointRecord> {
  const { name = "", sum, gauge } = reader.read(slice, metric);
  const data = sum ?? gauge;
  if (!data) return;
  const { dataPoints, aggregationTemporality = 0 } = reader.read(data, numbers);
  const temporality =
    aggregationTemporality === 1 || aggregationTemporality === 2 ? aggregationTemporality : 0;
  for (const place of slicesOf(dataPoints)) {
    const { timeUnixNano, asDouble, asInt, attributes } = reader.read(place, numberPoint);
    yield {
      signal: "point",
      ...origin,
      name,
      temporality: sum ? temporality : 0,
      timeNanos: timeUnixNano ?? 0n,
      value: Number(asDouble ?? asInt ?? 0),
      attributes: new LazyAttributes(reader, attributes),
    };
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** An id of this many hex digits; empty for any other text, and for zeros, which mean that there is none. */
const idOf = (id: string | undefined, digits: number): string =>
  id !== undefined && id.length === digits && /^[0-9a-f]+$/.test(id) && /[^0]/.test(id) ? id : "";
