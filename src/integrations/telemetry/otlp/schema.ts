/**
 * The parts of OTLP that are read, with their field numbers in protobuf and their names in JSON
 * (open-telemetry/opentelemetry-proto 1.x). Every other field is skipped without being decoded.
 */

import { Problem, tooLarge } from "../../../core/problem.ts";

/** Records of a request; a Collector sends 8,192, SDKs 512. Its resources and scopes can be as many. */
export const recordsMax = 50_000;

/** Fields and elements of one message, which are read in one go. */
export const messageFieldsMax = 100_000;

export const tooManyFields = (): Problem =>
  tooLarge(`A message can have at most ${messageFieldsMax} fields. Send smaller batches.`);

/** A field of another type than its own. In a record, the others of the request can be read all the same. */
export class MalformedField extends Problem {
  /** @param reason part of a sentence */
  constructor(readonly reason: string) {
    super(400, `${reason}.`);
  }
}

/** What a field of each type is read as. `int64` is a bigint only where a number would not be exact. */
interface FieldValue {
  /** Where an embedded message is. */
  message: Slice;
  /** Where the messages of a list are: start and end of each, one after the other. */
  messages: number[];
  /** Where a text is, to be decoded only if it is needed. */
  text: Slice;
  string: string;
  /** Bytes as hex digits in lower case; in JSON, text that is neither hex nor base64 stays as it is. */
  id: string;
  /** fixed64. */
  nanos: bigint;
  double: number;
  int64: number | bigint;
  enum: number;
  bool: boolean;
}
export type FieldType = keyof FieldValue;

/** A part of the body, from `start` up to `end`. */
export interface Slice {
  start: number;
  end: number;
}

export interface Field<T extends FieldType = FieldType> {
  number: number;
  type: T;
  /** The name of the value that is read; also the field's name in JSON unless `jsonName` differs. */
  name: string;
  jsonName: string;
  /** The names of an enum's values, in order, without their common prefix. */
  values?: readonly string[];
}

type Shape = Record<string, Pick<Field, "number" | "type" | "values"> & { jsonName?: string }>;

export interface MessageType<S extends Shape = Shape> {
  byNumber: ReadonlyMap<number, Field>;
  /** By both names that the JSON mapping of proto3 has readers accept: `traceId` and `trace_id`. */
  byName: ReadonlyMap<string, Field>;
  /** The list without which a message that has other lists or objects was not understood. */
  list?: Field | undefined;
  /** The type of what is read, never set. */
  shape?: S;
}

/** The fields of a message that were present. */
export type ValuesOf<S extends Shape> = { [F in keyof S]?: FieldValue[S[F]["type"]] };

const field = <T extends FieldType>(number: number, type: T, jsonName?: string) => ({
  number,
  type,
  ...(jsonName !== undefined && { jsonName }),
});

const enumField = (number: number, ...values: readonly string[]) => ({
  number,
  type: "enum" as const,
  values,
});

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function message<const S extends Shape>(shape: S, list?: keyof S): MessageType<S> {
  const fields = Object.entries(shape).map(([name, one]) => ({ jsonName: name, ...one, name }));
  return {
    byNumber: new Map(fields.map((one) => [one.number, one])),
    byName: new Map(
      fields.flatMap((one) => [
        [one.jsonName, one],
        [toSnakeCase(one.jsonName), one],
      ]),
    ),
    list: fields.find(({ name }) => name === list),
  };
}

export const keyValue = message({ key: field(1, "string"), value: field(2, "message") });

/** Arrays and bytes are left out. */
export const anyValue = message({
  stringValue: field(1, "text"),
  boolValue: field(2, "bool"),
  intValue: field(3, "int64"),
  doubleValue: field(4, "double"),
  kvlistValue: field(6, "message"),
});
export const keyValueList = message({ values: field(1, "messages") });

export const resource = message({ attributes: field(1, "messages") });
export const scope = message({ name: field(1, "string") });

export const logRecord = message({
  timeUnixNano: field(1, "nanos"),
  body: field(5, "message"),
  attributes: field(6, "messages"),
  traceId: field(9, "id"),
  spanId: field(10, "id"),
  observedTimeUnixNano: field(11, "nanos"),
  eventName: field(12, "string"),
});

export const span = message({
  traceId: field(1, "id"),
  spanId: field(2, "id"),
  parentSpanId: field(4, "id"),
  name: field(5, "string"),
  kind: enumField(6, "UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"),
  startTimeUnixNano: field(7, "nanos"),
  endTimeUnixNano: field(8, "nanos"),
  attributes: field(9, "messages"),
  status: field(15, "message"),
});
export const status = message({ code: enumField(3, "UNSET", "OK", "ERROR") });

/** A request of a signal: lists of resources, of scopes and of items, each in the one before. */
const signal = (resources: string, scopes: string, items: string) => ({
  request: message({ resources: field(1, "messages", resources) }, "resources"),
  resources: message({ resource: field(1, "message"), scopes: field(2, "messages", scopes) }, "scopes"),
  scopes: message({ scope: field(1, "message"), items: field(2, "messages", items) }, "items"),
});

/** By the last segment of the path. `rejected` is the field of a partial success. */
export const signals = {
  logs: { ...signal("resourceLogs", "scopeLogs", "logRecords"), rejected: "rejectedLogRecords" },
  traces: { ...signal("resourceSpans", "scopeSpans", "spans"), rejected: "rejectedSpans" },
  metrics: { ...signal("resourceMetrics", "scopeMetrics", "metrics"), rejected: "rejectedDataPoints" },
} as const;
export type Signal = keyof typeof signals;
export const signalNames = Object.keys(signals) as Signal[];

/** Reads one message of a body in either encoding. @throws {Problem} 400 if the body is malformed */
export interface MessageReader {
  readonly root: Slice;
  read<S extends Shape>(slice: Slice, type: MessageType<S>): ValuesOf<S>;
  text(slice: Slice): string;
}
