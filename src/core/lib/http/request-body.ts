/** Reads and parses request bodies, with limits on size, rate and memory, before schema validation. */

import { badRequest, Problem, tooLarge, unsupportedMediaType } from "../../problem.ts";
import { measureJson } from "../json-extent.ts";
import { normalizeUnicode } from "../strings/nfc.ts";
import { TimeSlices, YieldBudget } from "../time-slices.ts";
import { AnonymousBodies, type BodyBudget, CallerBodies, type Pace } from "./body-budget.ts";
import { markDisposable } from "./disposable-chunks.ts";

export const bodyBytesMax = 2 ** 20;
const depthMax = 32;

/** The media type of the `Content-Type` header, lowercase and without parameters. */
export const mediaTypeOf = (request: Pick<Request, "headers">): string | undefined =>
  request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();

/** @throws {Problem} 415 unless the body is `application/json`, without compression */
export function requireJson(request: Request): void {
  if (mediaTypeOf(request) !== "application/json")
    throw unsupportedMediaType("Send the body as Content-Type: application/json.");
  requireUncompressed(request);
}

/** Else compressed bytes would be taken for what they hold. @throws {Problem} 415 (RFC 9110, 15.5.16) */
function requireUncompressed({ headers }: Request): void {
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.trim().toLowerCase() !== "identity")
    throw new Problem(415, "Send the body without compression: leave out Content-Encoding.", {
      "accept-encoding": "identity",
    });
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The values of a body; an append of 1,000 events with every field has 30,000. */
export const jsonValuesMax = 100_000;

/**
 * Parses JSON and normalizes its text to NFC.
 * @throws {Problem} 400 if it is malformed or nested too deep, 413 for more than 100,000 values
 */
export function parseJson(bytes: Uint8Array): unknown {
  const { values, depth } = measureJson(bytes, jsonValuesMax);
  if (depth > depthMax) throw badRequest(`The body is nested more than ${depthMax} levels deep.`);
  if (values > jsonValuesMax)
    throw tooLarge(`The body can have at most ${jsonValuesMax} JSON values. Send it in parts.`);
  let value: unknown;
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw badRequest("The body is not valid UTF-8.");
  }
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest("The body is not valid JSON.");
  }
  // As many characters as bytes, and no escapes: all of its text is ASCII, which is NFC.
  return text.length === bytes.length && !text.includes("\\u") ? value : normalize(value);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what it looks for
const ascii = /^[\x00-\x7f]*$/;

/** Normalizes text to NFC, in place. */
function normalize(value: unknown): unknown {
  if (typeof value === "string") return ascii.test(value) ? value : normalizeUnicode(value);
  if (typeof value !== "object" || value === null) return value;
  const holder = value as Record<string, unknown>;
  for (const key in holder) {
    const before = holder[key];
    const after = normalize(before);
    if (after !== before) holder[key] = after;
  }
  return value;
}

const KiB = 2 ** 10;
const MiB = 2 ** 20;

/** For authenticated callers: slow is fine, stalled is not. */
export const callerPace: Pace = { bytes: 16 * KiB, ms: 25_000, totalMs: Number.POSITIVE_INFINITY };

/**
 * Bodies up to this size are read in one call instead of chunk by chunk, which is about three times as fast.
 */
const smallBytesMax = 16 * KiB;

export const callerBodies = new CallerBodies(128 * MiB, callerPace);

/**
 * For webhooks and forms, which are read before the signature or session is checked. Each client can send one
 * webhook of the maximum size (25 MiB). GitHub gives up on a webhook after ten seconds.
 */
export const anonymousBodies = new AnonymousBodies(128 * MiB, 32 * MiB, {
  bytes: 64 * KiB,
  ms: 5_000,
  totalMs: 30_000,
});

/** Parsing a larger body takes a turn of the event loop of its own. */
const turnBytes = 64 * KiB;

/**
 * Reads the whole body.
 * @param address IP of a client that is not authenticated yet; null for an authenticated caller
 * @throws {Problem} 400 if it stalls or breaks off, 413 if it is too large, 503 if the memory budget is
 * exhausted
 */
export async function readBytes(
  request: Request,
  bytesMax: number,
  address: string | null,
): Promise<Uint8Array> {
  const tooManyBytes = () => tooLarge(`The body can have at most ${bytesMax} bytes.`);
  const declared = declaredBytes(request);
  if (declared > bytesMax) throw tooManyBytes();
  const budget = address === null ? callerBodies : anonymousBodies.of(address);
  if (declared <= smallBytesMax) {
    const bytes = await readSmall(request, address === null ? 0 : declared, budget);
    if (bytes.byteLength > bytesMax) throw tooManyBytes();
    return bytes;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of bodyChunks(request, budget.pace)) {
      if (size + chunk.byteLength > bytesMax) throw tooManyBytes();
      budget.take(chunk.byteLength);
      size += chunk.byteLength;
      chunks.push(chunk);
    }
  } finally {
    budget.give(size);
  }
  if (size > turnBytes) await new TimeSlices().next();
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
}

/** @param reserved bytes taken from the budget while it is read */
async function readSmall(request: Request, reserved: number, budget: BodyBudget): Promise<Uint8Array> {
  if (reserved > 0) budget.take(reserved);
  try {
    return await readWhole(request, budget.pace, 1);
  } finally {
    if (reserved > 0) budget.give(reserved);
  }
}

/** @param intervals of the pace that the body may take */
const readWhole = (request: Request, { ms, totalMs }: Pace, intervals: number): Promise<Uint8Array> =>
  withTimeout(request.bytes().catch(throwIncomplete), Math.min(ms * intervals, totalMs));

/** The length in its `Content-Length` header; NaN for a chunked body. */
const declaredBytes = (request: Request): number =>
  Number(request.headers.get("content-length") ?? Number.NaN);

/**
 * Uploads up to this size are read in one call. In chunks, one of 64 KiB takes 40 µs of CPU more, twice what
 * the parser of its form takes (`bun run bench uploads`).
 */
const wholeUploadMax = 128 * KiB;

/**
 * Streams the upload of an authenticated caller, a small one as a single chunk. No part of that one is
 * available before all of it, nor if it breaks off, but it may be as slow as a stream.
 * @throws {Problem} 400 like `bodyChunks`, 415 if it is compressed
 */
export function uploadChunks(request: Request): AsyncGenerator<Uint8Array> {
  requireUncompressed(request);
  const declared = declaredBytes(request);
  return declared <= wholeUploadMax
    ? wholeUpload(request, declared)
    : bodyChunks(request, callerPace, markDisposable);
}

async function* wholeUpload(request: Request, declared: number): AsyncGenerator<Uint8Array> {
  const bytes = await readWhole(request, callerPace, Math.max(1, Math.ceil(declared / callerPace.bytes)));
  if (bytes.length > 0) yield bytes;
}

/** Streams the body in chunks. @throws {Problem} 400 like `bodyChunks`, 415 if it is compressed */
export function uncompressedChunks(request: Request): AsyncGenerator<Uint8Array> {
  requireUncompressed(request);
  return bodyChunks(request);
}

/** A fast sender yields to other requests after this many bytes. */
const yieldBytes = 128 * KiB;

/**
 * Streams the body in chunks.
 * @throws {Problem} 400 if it is slower than `pace` or breaks off, so a stalled client cannot hold resources
 */
export async function* bodyChunks(
  { body }: Request,
  pace: Pace = callerPace,
  onChunk: (chunk: Uint8Array) => void = () => {},
): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const deadline = performance.now() + pace.totalMs;
  let remainingMs = pace.ms;
  let bytes = 0;
  const yieldBudget = new YieldBudget(yieldBytes);
  try {
    for (;;) {
      const startedAt = performance.now();
      const { done, value } = await withTimeout(
        reader.read().catch(throwIncomplete),
        Math.min(remainingMs, deadline - startedAt),
      );
      if (done) return;
      remainingMs -= performance.now() - startedAt;
      const { byteLength } = value;
      bytes += byteLength;
      if (bytes >= pace.bytes) [remainingMs, bytes] = [pace.ms, 0];
      onChunk(value);
      yield value;
      await yieldBudget.spend(byteLength);
    }
  } finally {
    reader.cancel().catch(() => {}); // the client may have disconnected
  }
}

const throwIncomplete = (): never => {
  throw badRequest("The request body is incomplete.");
};

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      timeout.reject(
        new Problem(400, "Timed out while waiting for the request body.", { connection: "close" }),
      ),
    Math.max(0, ms),
  );
  try {
    return await Promise.race([work, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
