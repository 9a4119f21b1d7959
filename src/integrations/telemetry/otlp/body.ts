/** Bodies of OTLP: reads that of a request (size, compression, encoding), and makes that of the answer. */
import { gunzipSync } from "node:zlib";
import { CallerBodies } from "../../../core/lib/http/body-budget.ts";
import { callerPace, mediaTypeOf, readBytes } from "../../../core/lib/http/request-body.ts";
import { inSlices, TimeSlices } from "../../../core/lib/time-slices.ts";
import {
  badRequest,
  Problem,
  type ProblemDocument,
  tooLarge,
  unsupportedMediaType,
} from "../../../core/problem.ts";
import { indexJson } from "./json-index.ts";
import { JsonReader } from "./json-reader.ts";
import { ProtobufReader } from "./protobuf-reader.ts";
import { type MessageReader, type Signal, signals } from "./schema.ts";

const MiB = 2 ** 20;

/** Also after decompression. A batch of 512 records with prompts in them is a few megabytes. */
const telemetryBytesMax = 16 * MiB;

/**
 * The memory of the bodies that are being processed: unlike other requests, they are kept while their records
 * are appended.
 */
const bodies = new CallerBodies(64 * MiB, callerPace);

/** Media type → opens a reader of a body. */
const encodings = {
  "application/x-protobuf": async (body: Buffer): Promise<MessageReader> => new ProtobufReader(body),
  "application/json": async (body: Buffer): Promise<MessageReader> =>
    new JsonReader(await inSlices(indexJson(body))),
} as const;
export type Encoding = keyof typeof encodings;

/** The encoding of a request; undefined for an unknown one. */
export const encodingOf = (request: Pick<Request, "headers">): Encoding | undefined => {
  const type = mediaTypeOf(request);
  return (Object.keys(encodings) as Encoding[]).find((one) => one === type);
};

/**
 * Calls `work` with a reader of the body, and holds its memory meanwhile.
 * @throws {Problem} 400 if the body is malformed, 413 if it is too large, also once decompressed, 415 for
 * another type or compression, 503 if too many bodies are being processed
 */
export async function withBody<T>(request: Request, work: (reader: MessageReader) => Promise<T>): Promise<T> {
  const encoding = encodingOf(request);
  if (!encoding)
    throw unsupportedMediaType(`Send the body as Content-Type: ${Object.keys(encodings).join(" or ")}.`);
  return withBytes(request, async (body) => work(await encodings[encoding](body)));
}

/**
 * Calls `work` with a body of any encoding, decompressed, and holds its memory meanwhile.
 * @throws {Problem} like `withBody`
 */
export async function withBytes<T>(request: Request, work: (body: Buffer) => Promise<T>): Promise<T> {
  const compression = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (compression !== "gzip" && compression !== "identity")
    throw new Problem(415, "Send the body with Content-Encoding: gzip, or without compression.", {
      "accept-encoding": "gzip",
    });
  const sent = await readBytes(request, telemetryBytesMax, null);
  const isZipped = compression === "gzip";
  // Many may arrive together. A small body cannot become a large one.
  const slices = isZipped && ratioMax * sent.length > smallBytes ? new TimeSlices() : null;
  await slices?.next();
  const body = isZipped ? unzip(sent) : Buffer.from(sent.buffer, sent.byteOffset, sent.length);
  await slices?.next();
  bodies.take(body.length);
  try {
    return await work(body);
  } finally {
    bodies.give(body.length);
  }
}

/** Records repeat their names, and are a tenth to a fiftieth when compressed. A bomb is a thousandth. */
const ratioMax = 256;
const smallBytes = MiB;

/** In this thread: 16 MiB take ten milliseconds, and a batch of a megabyte less than one. */
function unzip(sent: Uint8Array): Buffer {
  if (sent.length === 0) return Buffer.alloc(0);
  if (sent.length < 4) throw notGzip();
  const bytesMax = Math.min(telemetryBytesMax, Math.max(smallBytes, ratioMax * sent.length));
  try {
    // The size in the trailer (RFC 1952), if it is true: smaller chunks would be joined in a copy.
    const size = Buffer.from(sent.buffer, sent.byteOffset, sent.length).readUInt32LE(sent.length - 4);
    const chunkSize = Math.max(1_024, Math.min(size + 1, bytesMax));
    return gunzipSync(sent, { maxOutputLength: bytesMax, chunkSize });
  } catch (error) {
    throw (error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE"
      ? tooLarge(
          `The decompressed body can have at most ${telemetryBytesMax} bytes, and ${ratioMax} times those ` +
            "of the compressed one. Send smaller batches.",
        )
      : notGzip();
  }
}

const notGzip = (): Problem => badRequest("The body is not valid gzip. Check its Content-Encoding.");

/** What was left out, and why. */
export interface Rejection {
  rejected: number;
  message: string;
}

/**
 * The body of a 200 (OTLP specification, OTLP/HTTP Response): empty, or a partial success, which a sender
 * logs and does not retry.
 */
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
