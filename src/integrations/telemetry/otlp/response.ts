/** Answers of the OTLP receiver, in the encoding of the request (OTLP specification, OTLP/HTTP Response). */
import type { ProblemDocument } from "../../../core/problem.ts";
import type { Encoding } from "./body.ts";
import { type Signal, signals } from "./schema.ts";

/** What was left out, and why. */
export interface Rejection {
  rejected: number;
  message: string;
}

/** The body of a 200: empty, or a partial success, which a sender logs and does not retry. */
export function successBody(encoding: Encoding, signal: Signal, { rejected, message }: Rejection): BodyInit {
  const isPartial = rejected > 0;
  if (encoding === "application/json")
    return JSON.stringify(
      isPartial
        ? { partialSuccess: { [signals[signal].rejected]: String(rejected), errorMessage: message } }
        : {},
    );
  if (!isPartial) return "";
  return lengthField(1, Buffer.concat([Buffer.from([1 << 3]), varint(rejected), lengthField(2, message)]));
}

/** HTTP status → code of google.rpc; any other is `UNKNOWN`. */
const codes: Record<number, number> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  413: 8,
  415: 3,
  429: 8,
  501: 12,
  503: 14,
};

/** A problem as `google.rpc.Status`. */
export function statusBody(encoding: Encoding, { status, detail, title }: ProblemDocument): BodyInit {
  const code = codes[status] ?? 2;
  const message = detail ?? title;
  if (encoding === "application/json") return JSON.stringify({ code, message });
  return Buffer.concat([Buffer.from([1 << 3]), varint(code), lengthField(2, message)]);
}

function lengthField(number: number, payload: Uint8Array | string): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(payload as string);
  return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}
