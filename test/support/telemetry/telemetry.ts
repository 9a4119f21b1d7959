/** Requests of telemetry: fixtures of real programs, spans as documents have them, and their records. */
import { mapRecord } from "../../../src/integrations/telemetry/map.ts";
import { indexJson } from "../../../src/integrations/telemetry/otlp/json-index.ts";
import { JsonReader } from "../../../src/integrations/telemetry/otlp/json-reader.ts";
import { readRecords } from "../../../src/integrations/telemetry/otlp/read-records.ts";
import { type Signal, signalNames } from "../../../src/integrations/telemetry/otlp/schema.ts";
import type { TelemetryRecord } from "../../../src/integrations/telemetry/records.ts";
import type { Mapped } from "../../../src/integrations/telemetry/sources/source.ts";

type Value = string | number | boolean;
export type AttributeMap = Record<string, Value>;

/** A request of several signals at once, in the JSON of OTLP: each list goes to its own path. */
export type TelemetryFixture = Record<string, unknown>;

const listNames: Record<Signal, string> = {
  logs: "resourceLogs",
  traces: "resourceSpans",
  metrics: "resourceMetrics",
};

/** The signals of a fixture, with the request of each. */
export const requestsOf = (fixture: TelemetryFixture): [Signal, object][] =>
  signalNames.flatMap((signal): [Signal, object][] => {
    const list = fixture[listNames[signal]];
    return list === undefined ? [] : [[signal, { [listNames[signal]]: list }]];
  });

/** Runs a generator to its end. */
export function finish<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

export const jsonReader = (body: string | Buffer): JsonReader =>
  new JsonReader(finish(indexJson(Buffer.from(body as string))));

export const recordsOf = (fixture: TelemetryFixture) =>
  requestsOf(fixture).flatMap(([signal, request]) => [
    ...readRecords(jsonReader(JSON.stringify(request)), signal),
  ]) as TelemetryRecord[];

export const mappedOf = (fixture: TelemetryFixture): Mapped[] =>
  recordsOf(fixture).flatMap((record) => mapRecord(record) ?? []);

export const eventsOf = (fixture: TelemetryFixture) => mappedOf(fixture).map(({ event }) => event);

/** Captured from a program, see the heads of agents.test.ts and frameworks.test.ts. */
export const fixtureOf = (name: string): Promise<TelemetryFixture> =>
  Bun.file(new URL(`../../integrations/telemetry/fixtures/${name}.json`, import.meta.url)).json();

const anyValueOf = (value: Value) =>
  typeof value === "string"
    ? { stringValue: value }
    : typeof value === "boolean"
      ? { boolValue: value }
      : Number.isInteger(value)
        ? { intValue: String(value) }
        : { doubleValue: value };

export const attributesOf = (attributes: AttributeMap) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValueOf(value) }));

export const noonNanos = 1_772_366_400_000_000_000n; // 2026-03-01T12:00:00Z

interface SpanOptions {
  attributes: AttributeMap;
  name?: string;
  kind?: number;
  id?: number;
  /** The id of the parent; 0 for a root. */
  parent?: number;
  failed?: boolean;
  ms?: number;
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");

/** Spans of one trace that start at noon, as a request. */
export const spansOf = (
  spans: SpanOptions[],
  resource: AttributeMap = { "service.name": "shop" },
): TelemetryFixture => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [
        {
          scope: { name: "test" },
          spans: spans.map(({ name = "", kind = 1, id = 1, parent = 0, failed, ms = 250, attributes }) => ({
            ...{ traceId: hex(7, 32), spanId: hex(id, 16), ...(parent && { parentSpanId: hex(parent, 16) }) },
            ...{ name, kind, attributes: attributesOf(attributes) },
            startTimeUnixNano: String(noonNanos),
            endTimeUnixNano: String(noonNanos + BigInt(ms) * 1_000_000n),
            ...(failed && { status: { code: 2 } }),
          })),
        },
      ],
    },
  ],
});

/** Logs at noon, as a request. */
export const logsOf = (
  logs: AttributeMap[],
  { scope = "test", ...resource }: AttributeMap & { scope?: string } = {},
): TelemetryFixture => ({
  resourceLogs: [
    {
      resource: { attributes: attributesOf(resource) },
      scopeLogs: [
        {
          scope: { name: scope },
          logRecords: logs.map((attributes) => ({
            timeUnixNano: String(noonNanos),
            attributes: attributesOf(attributes),
          })),
        },
      ],
    },
  ],
});
