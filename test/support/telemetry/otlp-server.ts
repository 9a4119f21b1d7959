/** Sending telemetry to the app of a test, and reading its answers. */
import { gzipSync } from "node:zlib";
import type { TestApp, TestRequest } from "../harness.ts";
import { otlpJson, otlpProtobuf, type Span, type Telemetry } from "./otlp.ts";

export const encodings = {
  protobuf: { type: "application/x-protobuf", encode: otlpProtobuf },
  json: { type: "application/json", encode: (telemetry: Telemetry) => JSON.stringify(otlpJson(telemetry)) },
} as const;
export type EncodingName = keyof typeof encodings;

export interface SendOptions extends TestRequest {
  encoding?: EncodingName;
  gzip?: boolean;
  path?: string;
}

const signalOf = ({ logs }: Telemetry) => (logs ? "logs" : "traces");

/** Sends telemetry as an exporter does. */
export function send(app: TestApp, telemetry: Telemetry, options: SendOptions = {}): Promise<Response> {
  const { encoding = "protobuf", gzip, path = `/api/otlp/v1/${signalOf(telemetry)}`, ...init } = options;
  const { type, encode } = encodings[encoding];
  const body = encode(telemetry);
  const headers = { "content-type": type, ...(gzip && { "content-encoding": "gzip" }), ...init.headers };
  return app.ask(path, {
    ...init,
    method: "POST",
    headers,
    body: gzip ? gzipSync(body) : Buffer.from(body as string),
  });
}

/** A call of a model, as frameworks report it. */
export const chat = (index: number, attributes: Span["attributes"] = {}): Span => ({
  name: "chat gpt-6",
  traceId: "5b8efff798038103d269b633813fc60c",
  spanId: (index + 1).toString(16).padStart(16, "0"),
  kind: 3,
  startTimeUnixNano: 1_780_000_000_000_000_000n,
  endTimeUnixNano: 1_780_000_001_500_000_000n,
  attributes: {
    ...{ "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai" },
    ...{ "gen_ai.response.model": "gpt-6", "gen_ai.conversation.id": "session-1" },
    ...{ "gen_ai.usage.input_tokens": 100 + index, "gen_ai.usage.output_tokens": 10 },
    ...attributes,
  },
});

/** The resource of a framework that works on a project. */
export const inProject = (project: string) => ({ "service.name": "crew", "svc.project": project });

/** The fields of one level of a protobuf message: numbers of varints, bytes of everything else. */
export function protobufFields(bytes: Uint8Array): Map<number, number | Buffer> {
  const fields = new Map<number, number | Buffer>();
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++] as number;
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const value = varint();
    const isVarint = (tag & 7) === 0;
    fields.set(tag >> 3, isVarint ? value : Buffer.from(bytes.subarray(at, at + value)));
    if (!isVarint) at += value;
  }
  return fields;
}

/** The status of a failure, `{ code, message }`, in either encoding. */
export async function readStatus(response: Response): Promise<{ code: number; message: string }> {
  if (response.headers.get("content-type") === "application/json") return response.json();
  const fields = protobufFields(await response.bytes());
  return { code: fields.get(1) as number, message: String(fields.get(2)) };
}

/** What a partial success rejected, in either encoding; null for a full success. */
export async function readRejected(response: Response): Promise<{ count: number; message: string } | null> {
  if (response.headers.get("content-type") === "application/json") {
    const { partialSuccess = null } = (await response.json()) as Record<
      string,
      Record<string, string> | null
    >;
    if (!partialSuccess) return null;
    const { errorMessage = "", ...counts } = partialSuccess;
    return { count: Number(Object.values(counts)[0]), message: errorMessage };
  }
  const partial = protobufFields(await response.bytes()).get(1);
  if (partial === undefined) return null;
  const fields = protobufFields(partial as Buffer);
  return { count: fields.get(1) as number, message: String(fields.get(2)) };
}
