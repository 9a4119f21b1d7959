/**
 * Telemetry in batches of 512 records, as SDKs send them: a session of Claude Code, in which one record of
 * eight is a usage, in both encodings; and batches in which every record is one.
 */
import { type AttributeMap, type Log, otlpJson, otlpProtobuf, type Telemetry } from "../support/otlp.ts";
import { makeDatabase } from "./events.ts";
import { inRounds, median, type Place, type Result } from "./measure.ts";

export const batchLength = 512;
const batches = 40;
const connections = 4;
const rounds = 9;
/** Records a second. */
const target = 20_000;

const session = {
  "session.id": "6f1c2b34-5d6e-4f70-8a91-b2c3d4e5f607",
  "user.id": "3b1f".repeat(16),
  "organization.id": "0d9e8f7a-6b5c-4d3e-2f1a-0b9c8d7e6f5a",
  "terminal.type": "iTerm.app",
};
const tool = { tool_name: "Bash", tool_use_id: "toolu_01ABCdefGHIjklMNOpqrSTUv", success: "true" };

const attributesOf = (name: string, index: number): AttributeMap => ({
  ...session,
  ...{ "event.name": name, "event.sequence": index, "event.timestamp": "2026-11-23T10:00:00.000Z" },
  ...(name === "api_request"
    ? {
        ...{ model: "claude-opus-5", cost_usd: "0.0875", duration_ms: "4321", request_id: `req_${index}` },
        ...{ input_tokens: "1200", output_tokens: "350", cache_read_tokens: "90000" },
        ...{ cache_creation_tokens: "100", speed: "normal", query_source: "main" },
      }
    : { ...tool, duration_ms: "87", tool_parameters: '{"bash_command":"bun test","timeout":60000}' }),
});

/** @param usageEvery one record of so many is a usage */
export function batchOf(first: number, usageEvery: number): Telemetry {
  const log = (_: unknown, place: number): Log => {
    const index = first + place;
    const name = index % usageEvery === 0 ? "api_request" : "tool_result";
    return {
      body: `claude_code.${name}`,
      timeUnixNano: 1_780_000_000_000_000_000n + BigInt(index) * 1_000_000n,
      attributes: attributesOf(name, index),
    };
  };
  return {
    resource: { "service.name": "claude-code", "service.version": "2.1.300", "svc.project": "atlas" },
    scope: "com.anthropic.claude_code.events",
    logs: Array.from({ length: batchLength }, log),
  };
}

/** The request of a batch, as latin1 text. */
function requestOf(telemetry: Telemetry, encoding: "protobuf" | "json"): string {
  const body =
    encoding === "protobuf" ? otlpProtobuf(telemetry) : Buffer.from(JSON.stringify(otlpJson(telemetry)));
  const type = encoding === "protobuf" ? "application/x-protobuf" : "application/json";
  return `POST /api/otlp/v1/logs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer bench\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body.toString("latin1")}`;
}

export async function measureTelemetry(place: Place, svc: string): Promise<Result[]> {
  await makeDatabase(place.path("telemetry.db"), 0);
  const url = await place.serve([svc, "serve"], {
    ...{ SVC_PORT: "0", SVC_RATE_LIMIT: "off", SVC_API_TOKENS: "bench:telemetry:write" },
    SVC_DATABASE_URL: `sqlite:${place.path("telemetry.db")}`,
  });
  let next = 0;
  /** Processor time of a record, in microseconds, by run. */
  const cpu: Record<string, number[]> = {};
  const run = (encoding: "protobuf" | "json", usageEvery: number) => async () => {
    const requests = Array.from({ length: batches }, () => {
      next += batchLength;
      return requestOf(batchOf(next, usageEvery), encoding);
    });
    const before = place.cpuSeconds(url);
    const rate = (await place.fire({ url, connections, requests, encoding: "latin1" })) * batchLength;
    const micros = ((place.cpuSeconds(url) - before) / (batches * batchLength)) * 1e6;
    (cpu[`${encoding} ${usageEvery}`] ??= []).push(micros);
    return rate;
  };
  const cpuOf = (run: string) => `${median(cpu[run] as number[]).toFixed(0)} µs CPU each`;
  const memory: number[] = [];
  const found = await inRounds(rounds, {
    mixed: run("protobuf", 8),
    mixedJson: run("json", 8),
    usages: run("protobuf", 1),
    memory: async () => memory.push(place.memory(url)),
  });
  const compare = (measure: string, rates: number[], run: string): Result => ({
    ...{
      measure,
      svc: `${Math.round(median(rates))} records/s, ${cpuOf(run)}`,
      ceiling: `${target} records/s`,
    },
    ...{ ratio: median(rates) / target, aim: "at least 1.00 x", reached: median(rates) >= target },
  });
  const [first, last] = [memory[1], memory.at(-1)] as [number, number];
  return [
    compare("telemetry in protobuf, one usage in 8 records", found.mixed, "protobuf 8"),
    compare("telemetry in JSON, one usage in 8 records", found.mixedJson, "json 8"),
    { ...compare("telemetry in protobuf, every record a usage", found.usages, "protobuf 1"), aim: "none" },
    {
      measure: `telemetry, memory after ${rounds} rounds`,
      svc: `${Math.round(last)} MB`,
      ceiling: `${Math.round(first)} MB after the first`,
      ...{ ratio: last / first, aim: "at most 1.30 x", reached: last / first <= 1.3 },
    },
  ];
}
