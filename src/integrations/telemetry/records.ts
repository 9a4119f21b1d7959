/**
 * What the OTLP reader hands to the mappings: one record of a request, with the few fields usage is made of.
 * Bodies, span events and links never leave the reader.
 */

/** Arrays, maps and bytes are dropped by the reader. */
export type AttributeValue = string | number | bigint | boolean;

/** Attributes of a record or its resource. May decode a value only when it is asked for. */
export interface Attributes {
  get(key: string): AttributeValue | undefined;
  keys(): Iterable<string>;
}

interface SignalRecord {
  resource: Attributes;
  /** The name of the instrumentation scope. */
  scope: string;
  name: string;
  attributes: Attributes;
  /** 32 hex digits in lower case, empty where there is none. */
  traceId: string;
  /** 16 hex digits in lower case, empty where there is none. */
  spanId: string;
}

/** A log record. `name` is its `eventName`, else its attribute `event.name`, else its body where that is text. */
export interface LogRecord extends SignalRecord {
  signal: "log";
  /** Nanoseconds since 1970: when it happened, else when it was observed, else 0. */
  timeNanos: bigint;
}

/** A finished span. */
export interface SpanRecord extends SignalRecord {
  signal: "span";
  /** 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  startNanos: bigint;
  endNanos: bigint;
  /** Empty for the root of a trace. */
  parentSpanId: string;
  /** Whether its status is an error. */
  failed: boolean;
}

export type TelemetryRecord = LogRecord | SpanRecord;
