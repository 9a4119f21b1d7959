/** Requests of OTLP with bytes that are anything: bent, cut, compressed, in the wrong encoding. */
import { gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { signalNames } from "../../src/integrations/telemetry/otlp/schema.ts";
import { otlpJson, otlpProtobuf, type Telemetry } from "../support/telemetry/otlp.ts";
import { chat, inProject } from "../support/telemetry/otlp-server.ts";
import type { FuzzedRequest } from "./requests.ts";
import { hostileText } from "./schema.ts";

const call = fc
  .tuple(
    fc.nat(50),
    fc.dictionary(
      hostileText,
      fc.oneof(hostileText, fc.double(), fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.boolean()),
    ),
  )
  .map(([index, attributes]) => chat(index, attributes));

const telemetry: Arbitrary<Telemetry> = fc.oneof(
  fc.record({
    resource: fc.oneof(fc.constant(inProject("atlas")), fc.dictionary(hostileText, hostileText)),
    spans: fc.array(call, { maxLength: 3 }),
  }),
  fc.record({
    resource: fc.constant({ "service.name": "claude-code", "svc.project": "atlas" }),
    scope: hostileText,
    logs: fc.array(fc.record({ body: hostileText, attributes: fc.dictionary(hostileText, hostileText) }), {
      maxLength: 3,
    }),
  }),
);

const bend = fc.tuple(
  fc.constantFrom("no", "no", "bytes", "cut", "twice", "deep"),
  fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 4 }),
);

export const anyTelemetry = (token: string): Arbitrary<FuzzedRequest> =>
  fc
    .record({
      sent: telemetry,
      type: fc.constantFrom("application/x-protobuf", "application/json"),
      declared: fc.constantFrom(null, null, null, "application/json", "application/x-protobuf", "text/plain"),
      bend,
      gzip: fc.constantFrom("no", "yes", "claimed"),
      signal: fc.constantFrom(...signalNames),
      inPath: fc.boolean(),
    })
    .map(({ sent, type, declared, bend: [how, changes], gzip, signal, inPath }) => {
      const whole =
        type === "application/json" ? Buffer.from(JSON.stringify(otlpJson(sent))) : otlpProtobuf(sent);
      const body = bent(whole, how, changes);
      return {
        path: inPath ? `/api/otlp/t/${token}/v1/${signal}` : `/api/otlp/v1/${signal}`,
        method: "POST",
        headers: {
          ...(!inPath && { authorization: `Bearer ${token}` }),
          "content-type": declared ?? type,
          ...(gzip !== "no" && { "content-encoding": "gzip" }),
        },
        body: Uint8Array.from(gzip === "yes" ? gzipSync(body) : body),
      };
    });

function bent(whole: Buffer, how: string, changes: [number, number][]): Buffer {
  const at = (changes[0] as [number, number])[0] % (whole.length + 1);
  if (how === "cut") return whole.subarray(0, at);
  if (how === "twice") return Buffer.concat([whole, whole]);
  if (how === "deep")
    return Buffer.concat([whole.subarray(0, at), Buffer.alloc(2_000, "["), whole.subarray(at)]);
  if (how === "bytes")
    for (const [place, byte] of changes) if (whole.length) whole[place % whole.length] = byte;
  return whole;
}
