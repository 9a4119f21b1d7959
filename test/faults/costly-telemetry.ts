/** The costliest requests of the routes that receive telemetry. */
import { gzipSync } from "node:zlib";
import { lengthField, otlpJson, otlpProtobuf } from "../support/telemetry/otlp.ts";
import { bearer, between, type CostlyRequest, fill, json, MiB } from "./costly-request.ts";

const zippedJson = { ...json, ...bearer, "content-encoding": "gzip" };
const zippedProtobuf = { ...zippedJson, "content-type": "application/x-protobuf" };

const zipped = (body: () => Uint8Array) => () => gzipSync(body());
const telemetryBytes = 16 * MiB;
const otlp = (before: string, text: string, after: string) =>
  zipped(between(telemetryBytes, before, text, after));

/** Logs of Claude Code, each about another model or project. */
const logs = (count: number, attributesOf: (index: number) => Record<string, string>) => () =>
  Buffer.from(
    JSON.stringify(
      otlpJson({
        ...{ resource: { "service.name": "claude-code", "svc.project": "atlas" } },
        scope: "com.anthropic.claude_code.events",
        logs: Array.from({ length: count }, (_, index) => ({
          eventName: "claude_code.api_request",
          timeUnixNano: BigInt(Date.now()) * 1_000_000n + BigInt(index),
          attributes: {
            "session.id": "s",
            input_tokens: 10,
            request_id: `r${index}`,
            ...attributesOf(index),
          },
        })),
      }),
    ),
  );

/** What a Collector sends at once, with prompts of two kilobytes. */
const spans = {
  ...{ resource: { "service.name": "crew", "svc.project": "atlas" }, scope: "gen_ai" },
  spans: Array.from({ length: 8_192 }, (_, index) => ({
    ...{ name: "chat gpt-6", kind: 3, traceId: index.toString(16).padStart(32, "a") },
    ...{ spanId: index.toString(16).padStart(16, "b"), parentSpanId: "c".repeat(16) },
    startTimeUnixNano: BigInt(Date.now()) * 1_000_000n,
    attributes: {
      ...{
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
      },
      ...{ "gen_ai.usage.input_tokens": index, "gen_ai.usage.output_tokens": 5 },
      ...Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`app.attribute.${at}`, at * index])),
      "gen_ai.input.messages": `say "hello" ${index}\n`.repeat(30),
    },
  })),
};

const batchOf = (body: object) => ({ batch: [{ id: "1", type: "generation-create", body }] });

export const costlyTelemetry: CostlyRequest[] = [
  {
    route: "POST /api/otlp/v1/logs",
    what: "JSON, 5.6 million objects",
    headers: zippedJson,
    body: otlp('{"resourceLogs":[', "{},", "{}]}"),
  },
  {
    route: "POST /api/otlp/v1/logs",
    what: "JSON, 8.4 million numbers",
    headers: zippedJson,
    body: otlp('{"a":[', "0,", "0]}"),
  },
  {
    route: "POST /api/otlp/v1/logs",
    what: "JSON, a text of 8.4 million escapes",
    headers: zippedJson,
    body: otlp('{"a":"', "\\\\", '"}'),
  },
  {
    route: "POST /api/otlp/v1/logs",
    what: "protobuf, 8.4 million empty messages",
    headers: zippedProtobuf,
    body: otlp("", "\n\0", ""),
  },
  {
    route: "POST /api/otlp/v1/logs",
    what: "protobuf, 8.4 million attributes of a record",
    headers: zippedProtobuf,
    body: zipped(() =>
      lengthField(1, lengthField(2, lengthField(2, Buffer.from(fill(telemetryBytes - 64, "\x32\0"))))),
    ),
  },
  {
    route: "POST /api/otlp/v1/logs",
    what: "JSON, 20,000 records of as many models",
    headers: zippedJson,
    body: zipped(logs(20_000, (index) => ({ model: `model-${index}` }))),
  },
  {
    route: "POST /api/otlp/v1/logs",
    what: "JSON, 20,000 records of as many repositories",
    headers: zippedJson,
    body: zipped(
      logs(20_000, (index) => ({ "vcs.repository.url.full": `https://forge.example/acme/r${index}.git` })),
    ),
  },
  {
    route: "POST /api/otlp/v1/traces",
    what: "JSON, 8,192 spans of a Collector",
    headers: zippedJson,
    body: zipped(() => Buffer.from(JSON.stringify(otlpJson(spans)))),
  },
  {
    route: "POST /api/otlp/v1/traces",
    what: "protobuf, 8,192 spans of a Collector",
    headers: zippedProtobuf,
    body: zipped(() => otlpProtobuf(spans)),
  },
  {
    route: "POST /api/public/ingestion",
    what: "5.6 million objects",
    headers: zippedJson,
    body: otlp('{"batch":[', "{},", "{}]}"),
  },
  {
    route: "POST /api/public/ingestion",
    what: "a generation with 5.6 million objects as its usage",
    headers: zippedJson,
    body: otlp('{"batch":[{"id":"1","type":"generation-create","body":{"id":"1","usage":[', "{},", "{}]}}]}"),
  },
  {
    route: "POST /api/public/ingestion",
    what: "a model name of 15 MB",
    headers: zippedJson,
    body: zipped(() =>
      Buffer.from(JSON.stringify(batchOf({ id: crypto.randomUUID(), model: "m".repeat(15e6) }))),
    ),
  },
  {
    route: "POST /api/litellm",
    what: "5.6 million objects in a row",
    headers: zippedJson,
    body: otlp('[{"id":"1","metadata":[', "{},", "{}]}]"),
  },
  {
    route: "POST /api/litellm",
    what: "8.4 million lines",
    headers: zippedJson,
    body: otlp("1", "\n ", "1"),
  },
];
