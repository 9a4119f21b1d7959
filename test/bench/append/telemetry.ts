/**
 * Telemetry in batches of 512 records, as SDKs send them: a session of Claude Code, in which one record of
 * eight is a usage, in both encodings; and batches in which every record is one.
 */
import {
  type AttributeMap,
  type Log,
  otlpJson,
  otlpProtobuf,
  type Telemetry,
} from "../../support/telemetry/otlp.ts";
import { makeDatabase } from "../measuring/events.ts";
import { cpuOf, describe, http, noSample, type Sample, unique, wrk } from "../measuring/load.ts";
import { inRounds, median, type Place, type Result } from "../measuring/measure.ts";
import { bearer, serveSvc } from "../measuring/svc.ts";
import { type Measure, resultOf } from "../measuring/targets.ts";

export const batchLength = 512;
const batches = 20;
const connections = 4;
const rounds = 3;
/** CPU seconds of a record at 20,000 records a second of one core. */
const budget = 1 / 20_000;

const session = {
  "session.id": "6f1c2b34-5d6e-4f70-8a91-b2c3d4e5f607",
  "user.id": "3b1f".repeat(16),
  "organization.id": "0d9e8f7a-6b5c-4d3e-2f1a-0b9c8d7e6f5a",
  "terminal.type": "iTerm.app",
};
const tool = { tool_name: "Bash", tool_use_id: "toolu_01ABCdefGHIjklMNOpqrSTUv", success: "true" };

const attributesOf = (name: string, index: number, id: string): AttributeMap => ({
  ...session,
  ...{ "event.name": name, "event.sequence": index, "event.timestamp": "2026-11-23T10:00:00.000Z" },
  ...(name === "api_request"
    ? {
        ...{
          model: "claude-opus-5",
          cost_usd: "0.0875",
          duration_ms: "4321",
          request_id: `req_${id}${index}`,
        },
        ...{ input_tokens: "1200", output_tokens: "350", cache_read_tokens: "90000" },
        ...{ cache_creation_tokens: "100", speed: "normal", query_source: "main" },
      }
    : { ...tool, duration_ms: "87", tool_parameters: '{"bash_command":"bun test","timeout":60000}' }),
});

/** @param usageEvery one record of so many is a usage @param id part of the ids of its usages */
export function batchOf(first: number, usageEvery: number, id = ""): Telemetry {
  const log = (_: unknown, place: number): Log => {
    const index = first + place;
    const name = index % usageEvery === 0 ? "api_request" : "tool_result";
    return {
      body: `claude_code.${name}`,
      timeUnixNano: 1_780_000_000_000_000_000n + BigInt(index) * 1_000_000n,
      attributes: attributesOf(name, index, id),
    };
  };
  return {
    resource: { "service.name": "claude-code", "service.version": "2.1.300", "svc.project": "atlas" },
    scope: "com.anthropic.claude_code.events",
    logs: Array.from({ length: batchLength }, log),
  };
}

/** The request of a batch; each time it is sent, its usages have other ids. */
function requestOf(telemetry: Telemetry, encoding: "protobuf" | "json"): Buffer {
  const body = Buffer.from(
    encoding === "protobuf" ? otlpProtobuf(telemetry) : JSON.stringify(otlpJson(telemetry)),
  );
  const type = encoding === "protobuf" ? "application/x-protobuf" : "application/json";
  const headers = { ...bearer, "Content-Type": type, "Content-Length": body.length };
  return Buffer.concat([Buffer.from(http("POST", "/api/otlp/v1/logs", headers)), body]);
}

export async function measureTelemetry(place: Place, svc: string): Promise<Result[]> {
  await makeDatabase(place.path("telemetry/svc.db"), 0);
  const url = await serveSvc(place, svc, "telemetry");
  const send = (encoding: "protobuf" | "json", usageEvery: number) => {
    const batch = (_: unknown, index: number) =>
      requestOf(batchOf(index * batchLength, usageEvery, unique), encoding);
    return wrk(place, {
      url,
      requests: Array.from({ length: batches }, batch),
      connections,
      units: batchLength,
    });
  };
  const memory: number[] = [];
  const { memory: _, ...samples } = await inRounds(rounds, {
    mixed: await send("protobuf", 8),
    mixedJson: await send("json", 8),
    usages: await send("protobuf", 1),
    async memory() {
      memory.push(place.memory(url));
      return noSample;
    },
  });
  const [first, last] = [memory[1], memory.at(-1)] as [number, number];
  const row = (measure: Measure, some: Sample[]) =>
    resultOf(
      ...([measure, describe(some, "records"), `${budget * 1e6} µs CPU`] as const),
      ...([median(cpuOf(some)) / budget, median(cpuOf(some))] as const),
    );
  return [
    row("telemetry in protobuf, one usage in 8 records, against 20,000 records/s of a core", samples.mixed),
    row("telemetry in JSON, one usage in 8 records, against 20,000 records/s of a core", samples.mixedJson),
    row("telemetry in protobuf, every record a usage, against 20,000 records/s of a core", samples.usages),
    resultOf(
      "telemetry, memory after the rounds, against the first",
      `${Math.round(last)} MB`,
      `${Math.round(first)} MB`,
      last / first,
      last,
    ),
  ];
}
