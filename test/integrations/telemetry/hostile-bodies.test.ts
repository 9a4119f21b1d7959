/** Bodies made to break the readers of telemetry. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Problem } from "../../../src/core/problem.ts";
import { indexJson } from "../../../src/integrations/telemetry/otlp/json-index.ts";
import { ProtobufReader } from "../../../src/integrations/telemetry/otlp/protobuf-reader.ts";
import { readRecords } from "../../../src/integrations/telemetry/otlp/read-records.ts";
import { type MessageReader, signalNames } from "../../../src/integrations/telemetry/otlp/schema.ts";
import { lengthField, otlpJson, otlpProtobuf, type Telemetry } from "../../support/telemetry/otlp.ts";
import { finish, jsonReader } from "../../support/telemetry/telemetry.ts";

/** Reads everything a mapping could ask for. @returns the number of records, or the status of the refusal */
function outcomeOf(open: () => MessageReader, signal: (typeof signalNames)[number] = "logs"): string {
  try {
    let count = 0;
    for (const record of readRecords(open(), signal)) {
      if (record instanceof Problem) return `${record.status}`;
      for (const key of ["a", "event.name", "gen_ai.usage.input_tokens"]) record.attributes.get(key);
      record.resource.get("service.name");
      count++;
    }
    return `${count} records`;
  } catch (error) {
    if (error instanceof Problem) return `${error.status}`;
    throw error;
  }
}

const accepts = (parse: () => unknown): boolean => {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof Problem || error instanceof SyntaxError) return false;
    throw error;
  }
};

const telemetry: Telemetry = {
  resource: { "service.name": "x" },
  logs: [{ body: "b", attributes: { a: 1, b: "two", c: 3.5, d: true } }],
  spans: [],
};
const protobuf = otlpProtobuf(telemetry);
const json = JSON.stringify(otlpJson(telemetry));

/** Text that is almost JSON: JSON in which some pieces are replaced by others. */
const pieces = ["{", "}", "[", "]", ",", ":", '"', "\\", "\\u00e9", "\\ud83d", "0", "-", "01", "1e5", ".5"];
const words = ["true", "nul", "null", " ", "\n", "\u0001", "é", '"a"', '{"a":1}', "[]", "\u2028", "1.", "+1"];
const almostJson = fc
  .tuple(
    fc.json(),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...pieces, ...words), fc.nat(2)), { maxLength: 3 }),
  )
  .map(([text, changes]) =>
    changes.reduce((changed, [at, piece, removed]) => {
      const place = at % (changed.length + 1);
      return changed.slice(0, place) + piece + changed.slice(place + removed);
    }, text),
  );

const bentBytes = (valid: Buffer) =>
  fc
    .array(fc.tuple(fc.nat(valid.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 6 })
    .map((changes) => {
      const bent = Buffer.from(valid);
      for (const [at, byte] of changes) bent[at] = byte;
      return bent;
    });

describe("a body of any content", () => {
  test("is JSON for svc exactly if it is JSON", () => {
    const check = (text: string) =>
      expect(accepts(() => finish(indexJson(Buffer.from(text))))).toBe(accepts(() => JSON.parse(text)));
    fc.assert(fc.property(fc.oneof(almostJson, fc.string()), check), { numRuns: 3_000 });
  });

  test("in protobuf gives records or a 400", () => {
    const any = fc.oneof(
      bentBytes(protobuf),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    );
    const check = (body: Buffer) => {
      for (const signal of signalNames)
        expect(outcomeOf(() => new ProtobufReader(body), signal)).toMatch(/records$|^400$/);
    };
    fc.assert(fc.property(any, check), { numRuns: 2_000 });
  });

  test("in JSON gives records or a 400", () => {
    const check = (body: Buffer) => {
      for (const signal of signalNames)
        expect(outcomeOf(() => jsonReader(body), signal)).toMatch(/records$|^400$/);
    };
    fc.assert(fc.property(bentBytes(Buffer.from(json)), check), { numRuns: 2_000 });
  });
});

describe("a large hostile body", () => {
  const bytesMax = 2 ** 22;
  const repeat = (text: string) => text.repeat(Math.floor(bytesMax / text.length));
  const inRecord = (fields: Buffer) => lengthField(1, lengthField(2, lengthField(2, fields)));

  test.each([
    ["opens lists", "[".repeat(bytesMax), "413"],
    ["opens objects", repeat('{"a":'), "400"],
    ["nests values", `{"a":${"[".repeat(600)}${"]".repeat(600)}}`, "400"],
    ["is a list of objects", `{"resourceLogs":[${repeat("{},")}{}]}`, "413"],
    ["has more than three million values", `{"a":[${"0,".repeat(3_000_000)}0]}`, "413"],
    ["has unknown members", `{${repeat('"a":0,')}"b":0}`, "413"],
    ["is one string", `{"a":"${"\\\\".repeat(bytesMax / 2)}"}`, "0 records"],
    ["is one number", `{"a":${"1".repeat(bytesMax)}}`, "0 records"],
    ["is an unfinished string", `{"a":"${"x".repeat(bytesMax)}`, "400"],
    ["is no UTF-8", Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]), "400"],
    ["has a number as time", logRecord(`"timeUnixNano":${"9".repeat(bytesMax)}`), "400"],
    ["has a million attributes", logRecord(`"attributes":[${repeat('{"key":"a"},')}{}]`), "413"],
    ["has a million records", logRecord(`},${repeat("{},")}{`), "413"],
  ])("in JSON that %s is bounded", (_, body, expected) => {
    expect(outcomeOf(() => jsonReader(body as string))).toBe(expected);
  });

  test.each([
    ["is zeros", Buffer.alloc(bytesMax), "400"],
    ["is ones", Buffer.alloc(bytesMax, 0xff), "400"],
    ["has empty resources", Buffer.from("\n\0".repeat(bytesMax / 2)), "413"],
    ["has empty attributes", inRecord(Buffer.from("\x32\0".repeat(bytesMax / 2))), "413"],
    ["has empty records", lengthField(1, lengthField(2, "\x12\0".repeat(bytesMax / 2))), "413"],
    ["opens groups", Buffer.alloc(bytesMax, 0x0b), "400"],
    ["nests messages", nested(5_000), "1 records"],
  ])("in protobuf that %s is bounded", (_, body, expected) => {
    expect(outcomeOf(() => new ProtobufReader(body))).toBe(expected);
  });

  function logRecord(members: string): string {
    return `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{${members}}]}]}]}`;
  }

  /** An attribute whose value is a list in a list, and so on. */
  function nested(depth: number): Buffer {
    let value = lengthField(1, "x");
    for (let level = 0; level < depth; level++) value = lengthField(5, lengthField(1, value));
    return inRecord(lengthField(6, Buffer.concat([lengthField(1, "a"), lengthField(2, value)])));
  }
});
