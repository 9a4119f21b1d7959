/** What a request of OTLP holds, in protobuf and in JSON. */
import { describe, expect, test } from "bun:test";
import { ProtobufReader } from "../../../src/integrations/telemetry/otlp/protobuf-reader.ts";
import { readRecords } from "../../../src/integrations/telemetry/otlp/read-records.ts";
import type { Signal } from "../../../src/integrations/telemetry/otlp/schema.ts";
import type { Attributes, TelemetryRecord } from "../../../src/integrations/telemetry/records.ts";
import {
  lengthField,
  otlpJson,
  otlpProtobuf,
  type Telemetry,
  varintField,
} from "../../support/telemetry/otlp.ts";
import { jsonReader } from "../../support/telemetry/telemetry.ts";

const encodings = {
  protobuf: (telemetry: Telemetry) => new ProtobufReader(otlpProtobuf(telemetry)),
  json: (telemetry: Telemetry) => jsonReader(JSON.stringify(otlpJson(telemetry))),
};
type Encoding = keyof typeof encodings;

const traceId = "5b8efff798038103d269b633813fc60c";
const spanId = "eee19b7ec3c1b174";

const signalOf = ({ logs }: Telemetry): Signal => (logs ? "logs" : "traces");
const recordsOf = (encoding: Encoding, telemetry: Telemetry) =>
  [...readRecords(encodings[encoding](telemetry), signalOf(telemetry))] as TelemetryRecord[];
const only = (encoding: Encoding, telemetry: Telemetry) =>
  recordsOf(encoding, telemetry)[0] as TelemetryRecord;

const json = (value: unknown, signal: Signal = "logs") =>
  [...readRecords(jsonReader(JSON.stringify(value)), signal)] as TelemetryRecord[];
const log = (fields: object) =>
  json({ resourceLogs: [{ scopeLogs: [{ logRecords: [fields] }] }] })[0] as TelemetryRecord;
const valuesOf = (attributes: Attributes, keys: string[]) => keys.map((key) => attributes.get(key));

describe.each(["protobuf", "json"] as const)("in %s", (encoding) => {
  test("a log record has its name, time, ids, scope, resource and attributes", () => {
    const record = only(encoding, {
      resource: { "service.name": "claude-code" },
      scope: "com.anthropic.claude_code.events",
      logs: [
        {
          body: "claude_code.api_request",
          timeUnixNano: 1_780_000_000_123_456_789n,
          attributes: { model: "claude-opus-5", input_tokens: 120, cost_usd: 0.0875, cached: true },
          ...{ traceId, spanId },
        },
      ],
    });
    expect(record).toMatchObject({
      ...{ signal: "log", name: "claude_code.api_request", traceId, spanId },
      ...{ scope: "com.anthropic.claude_code.events", timeNanos: 1_780_000_000_123_456_789n },
    });
    expect(record.resource.get("service.name")).toBe("claude-code");
    expect(valuesOf(record.attributes, ["model", "input_tokens", "cost_usd", "cached", "none"])).toEqual([
      ...["claude-opus-5", 120, 0.0875, true, undefined],
    ]);
  });

  test("the name of a log record is its event name, else its attribute, else a short body", () => {
    const attributes = { "event.name": "from the attribute" };
    const names = recordsOf(encoding, {
      logs: [
        { eventName: "from the field", body: "from the body", attributes },
        { body: "from the body", attributes },
        { body: "from the body" },
        { body: "a prompt ".repeat(100) },
        {},
      ],
    }).map(({ name }) => name);
    expect(names).toEqual(["from the field", "from the attribute", "from the body", "", ""]);
  });

  test("a span has its name, kind, times, ids and whether it failed", () => {
    const span = { name: "chat gpt-6", traceId, spanId, kind: 3, startTimeUnixNano: 5n, endTimeUnixNano: 9n };
    const [first, second] = recordsOf(encoding, {
      spans: [
        { ...span, parentSpanId: "1".repeat(16), failed: true, attributes: { "gen_ai.system": "openai" } },
        { ...span, kind: 0 },
      ],
    });
    const read = { signal: "span", name: "chat gpt-6", traceId, spanId, startNanos: 5n, endNanos: 9n };
    expect(first).toMatchObject({ ...read, kind: 3, parentSpanId: "1".repeat(16), failed: true });
    expect(second).toMatchObject({ ...read, kind: 0, parentSpanId: "", failed: false });
    expect(first?.attributes.get("gen_ai.system")).toBe("openai");
  });

  test("an int64 that is no exact number is a bigint, and a double may be no number", () => {
    const attributes = {
      ...{ large: 2n ** 62n, least: -(2n ** 63n), negative: -1, edge: 2n ** 53n - 1n },
      ...{ none: Number.NaN, most: Number.POSITIVE_INFINITY },
    };
    const record = only(encoding, { logs: [{ attributes }] });
    expect(valuesOf(record.attributes, Object.keys(attributes))).toEqual([
      ...[2n ** 62n, -(2n ** 63n), -1, Number.MAX_SAFE_INTEGER, Number.NaN, Number.POSITIVE_INFINITY],
    ]);
  });

  test("an id of zeros is none", () => {
    const record = only(encoding, { logs: [{ traceId: "0".repeat(32), spanId: "0".repeat(16) }] });
    expect(record).toMatchObject({ traceId: "", spanId: "" });
  });

  test("text of all scripts arrives as it was sent", () => {
    const text = 'Zoë "quoted" \\ 日本語 👩‍🚀\n';
    expect(only(encoding, { logs: [{ attributes: { text } }] }).attributes.get("text")).toBe(text);
  });

  test("of more than 1,024 attributes the others are ignored", () => {
    const attributes = Object.fromEntries(Array.from({ length: 1_025 }, (_, index) => [`a${index}`, index]));
    const record = only(encoding, { logs: [{ attributes }] });
    expect(valuesOf(record.attributes, ["a0", "a1023", "a1024"])).toEqual([0, 1023, undefined]);
  });
});

describe("in JSON", () => {
  test("members may come in any order, null is absent, and unknown ones are ignored", () => {
    const logRecords = [{ unknown: [{ deep: ["}", "]"] }], traceId: null, body: { stringValue: "a" } }];
    const scopeLogs = [{ logRecords, schemaUrl: "x", scope: { name: "late" } }];
    const attributes = [{ value: { stringValue: "svc" }, key: "service.name" }];
    const [record] = json({ extra: 1, resourceLogs: [{ scopeLogs, resource: { attributes } }] });
    expect(record).toMatchObject({ name: "a", scope: "late", traceId: "" });
    expect(record?.resource.get("service.name")).toBe("svc");
  });

  test("int64 is a string or a number, exactly, and ids are hex in either case", () => {
    const fields = { timeUnixNano: 1_780_000_000_123_456_789n, traceId: traceId.toUpperCase() };
    const text = JSON.stringify(fields, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
    const numeric = text.replace(/"(\d+)n"/, "$1");
    for (const one of [numeric, text.replace(/n"/, '"')]) {
      const body = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${one}]}]}]}`;
      const [record] = [...readRecords(jsonReader(body), "logs")];
      expect(record).toMatchObject({ timeNanos: 1_780_000_000_123_456_789n, traceId });
    }
  });

  test("lists, maps and bytes are no values of attributes", () => {
    const attributes = [
      { key: "list", value: { arrayValue: { values: [{ stringValue: "a" }] } } },
      { key: "map", value: { kvlistValue: { values: [] } } },
      { key: "bytes", value: { bytesValue: "aGk=" } },
      { key: "nothing", value: {} },
    ];
    expect(valuesOf(log({ attributes }).attributes, ["list", "map", "bytes", "nothing"])).toEqual(
      Array(4).fill(undefined),
    );
  });

  test.each([
    [{ timeUnixNano: "soon" }, "timeUnixNano must be an integer"],
    [{ timeUnixNano: true }, "timeUnixNano must be an integer"],
    [{ timeUnixNano: 1e300 }, "timeUnixNano must be an integer"],
    [{ attributes: {} }, "attributes must be a list of objects"],
    [{ attributes: [1] }, "attributes must be a list of objects"],
    [{ body: "text" }, "body must be an object"],
    [{ eventName: 1 }, "eventName must be a string"],
  ])("%j is malformed", (fields, reason) => {
    expect(log(fields)).toMatchObject({ reason });
  });
});

describe("in protobuf", () => {
  const inRecord = (...fields: Buffer[]) =>
    lengthField(1, lengthField(2, lengthField(2, Buffer.concat(fields))));
  const read = (body: Buffer) => [...readRecords(new ProtobufReader(body), "logs")];

  test("unknown fields, and known ones of another wire type, are skipped", () => {
    const unknown = [varintField(99, 2n ** 63n), lengthField(100, "x"), Buffer.from([0xad, 6, 1, 2, 3, 4])];
    expect(read(inRecord(...unknown, varintField(12, 5), lengthField(12, "named")))).toMatchObject([
      { name: "named" },
    ]);
  });

  test("bytes that are no UTF-8 become replacement characters", () => {
    expect(read(inRecord(lengthField(12, Buffer.from([0x61, 0xff]))))).toMatchObject([{ name: "a\ufffd" }]);
  });

  test.each([
    ["a truncated varint", Buffer.from([0x80])],
    ["a varint of eleven bytes", Buffer.from([0x18, ...Array(10).fill(0x80), 1])],
    ["a length beyond the end", Buffer.from([0x0a, 0x05, 0x00])],
    ["a length of 4 GiB", Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])],
    ["a truncated fixed64", inRecord(Buffer.from([0x09, 1, 2]))],
    ["a group", Buffer.from([0x0b, 0x0c])],
    ["an unknown wire type", Buffer.from([0x0f])],
    ["the field number 0", Buffer.from([0x02, 0x00])],
    ["an inner message that ends late", lengthField(1, Buffer.from([0x12, 0x7f]))],
  ])("%s is refused", (_, body) => {
    expect(() => read(body)).toThrow("The body is not a valid protobuf message of OTLP.");
  });
});
