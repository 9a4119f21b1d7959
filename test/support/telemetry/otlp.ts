/**
 * OTLP requests as senders write them, in both encodings. The protobuf is written by hand from the field
 * numbers of opentelemetry-proto, without the reader's tables.
 */

export type Value = string | number | bigint | boolean;
export type AttributeMap = Record<string, Value>;

export interface Log {
  eventName?: string;
  body?: string;
  timeUnixNano?: bigint;
  traceId?: string;
  spanId?: string;
  attributes?: AttributeMap;
}

export interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind?: number;
  startTimeUnixNano?: bigint;
  endTimeUnixNano?: bigint;
  failed?: boolean;
  attributes?: AttributeMap;
}

export interface Telemetry {
  resource?: AttributeMap;
  scope?: string;
  logs?: Log[];
  spans?: Span[];
}

const valueAsJson = (value: Value) =>
  typeof value === "string"
    ? { stringValue: value }
    : typeof value === "boolean"
      ? { boolValue: value }
      : typeof value === "bigint" || Number.isInteger(value)
        ? { intValue: String(value) }
        : { doubleValue: Number.isFinite(value) ? value : String(value) };

const attributesAsJson = (attributes: AttributeMap = {}) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueAsJson(value) }));

const itemsAsJson = ({ logs, spans = [] }: Telemetry): [string, string, string, unknown[]] =>
  logs
    ? ["resourceLogs", "scopeLogs", "logRecords", logs.map(logAsJson)]
    : ["resourceSpans", "scopeSpans", "spans", spans.map(spanAsJson)];

const logAsJson = ({ body, timeUnixNano = 1n, attributes, ...log }: Log) => ({
  ...{ timeUnixNano: String(timeUnixNano), severityNumber: 9, ...log },
  ...(body !== undefined && { body: { stringValue: body } }),
  attributes: attributesAsJson(attributes),
});

const spanAsJson = ({ startTimeUnixNano = 1n, endTimeUnixNano = 2n, failed, attributes, ...span }: Span) => ({
  ...{ ...span, startTimeUnixNano: String(startTimeUnixNano), endTimeUnixNano: String(endTimeUnixNano) },
  attributes: attributesAsJson(attributes),
  status: failed ? { code: 2, message: "failed" } : {},
});

/** The request as an object of the JSON encoding. */
export function otlpJson(telemetry: Telemetry): Record<string, unknown> {
  const { resource, scope = "test" } = telemetry;
  const [resources, scopes, items, records] = itemsAsJson(telemetry);
  const inScope = { scope: { name: scope, version: "1" }, [items]: records };
  return { [resources]: [{ resource: { attributes: attributesAsJson(resource) }, [scopes]: [inScope] }] };
}

export const varint = (value: number | bigint): Buffer => {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
};
export const lengthField = (number: number, payload: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(payload as string);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
};
export const varintField = (number: number, value: number | bigint) =>
  Buffer.concat([varint(number * 8), varint(value)]);
const fixedField = (number: number, value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, value));
  return Buffer.concat([varint(number * 8 + 1), bytes]);
};
const doubleField = (number: number, value: number) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([varint(number * 8 + 1), bytes]);
};

const valueBytes = (value: Value): Buffer =>
  typeof value === "string"
    ? lengthField(1, value)
    : typeof value === "boolean"
      ? varintField(2, Number(value))
      : typeof value === "bigint" || Number.isInteger(value)
        ? varintField(3, value)
        : doubleField(4, value);

const attributeFields = (number: number, attributes: AttributeMap = {}): Buffer[] =>
  Object.entries(attributes).map(([key, value]) =>
    lengthField(number, Buffer.concat([lengthField(1, key), lengthField(2, valueBytes(value))])),
  );
const idField = (number: number, hex: string | undefined): Buffer[] =>
  hex === undefined ? [] : [lengthField(number, Buffer.from(hex, "hex"))];
const textField = (number: number, text: string | undefined): Buffer[] =>
  text === undefined ? [] : [lengthField(number, text)];

const logBytes = ({ timeUnixNano = 1n, body, attributes, traceId, spanId, eventName }: Log): Buffer =>
  Buffer.concat([
    ...[fixedField(1, timeUnixNano), varintField(2, 9)],
    ...(body === undefined ? [] : [lengthField(5, lengthField(1, body))]),
    ...attributeFields(6, attributes),
    ...[...idField(9, traceId), ...idField(10, spanId), ...textField(12, eventName)],
  ]);

const spanBytes = ({ startTimeUnixNano = 1n, endTimeUnixNano = 2n, ...span }: Span): Buffer =>
  Buffer.concat([
    ...[...idField(1, span.traceId), ...idField(2, span.spanId), ...idField(4, span.parentSpanId)],
    ...[lengthField(5, span.name), varintField(6, span.kind ?? 0)],
    ...[fixedField(7, startTimeUnixNano), fixedField(8, endTimeUnixNano)],
    ...attributeFields(9, span.attributes),
    lengthField(15, span.failed ? Buffer.concat([lengthField(2, "failed"), varintField(3, 2)]) : ""),
  ]);

/** The request in protobuf. */
export function otlpProtobuf({ resource, scope = "test", ...telemetry }: Telemetry): Buffer {
  const { logs, spans = [] } = telemetry;
  const items = logs ? logs.map(logBytes) : spans.map(spanBytes);
  const inScope = [lengthField(1, lengthField(1, scope)), ...items.map((item) => lengthField(2, item))];
  const inResource = [
    lengthField(1, Buffer.concat(attributeFields(1, resource))),
    lengthField(2, Buffer.concat(inScope)),
  ];
  return lengthField(1, Buffer.concat(inResource));
}
