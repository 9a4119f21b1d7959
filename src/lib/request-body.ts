/** A JSON body as it came in: strict about its form, before any schema looks at it. */

import { badRequest, Problem, tooLarge, unsupportedMediaType } from "../problem.ts";
import { AnonymousBodies, type BodyBudget, CallerBodies, type Pace } from "./body-budget.ts";
import { YieldBudget } from "./yield.ts";

export const bodyBytesMax = 2 ** 20;
const depthMax = 32;

/** The type of the body, without its parameters. */
export const mediaTypeOf = (request: Pick<Request, "headers">): string | undefined =>
  request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();

export function requireJson(request: Request): void {
  if (mediaTypeOf(request) !== "application/json")
    throw unsupportedMediaType("Send the body as Content-Type: application/json.");
}

export function parseJson(bytes: Uint8Array): unknown {
  let value: unknown;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badRequest("The body is not valid UTF-8.");
  }
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest("The body is not valid JSON.");
  }
  return tidy(value, 1);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII is what it looks for
const ascii = /^[\x00-\x7f]*$/;

/** Text to NFC, in place; refuses what is nested too deep. */
function tidy(value: unknown, depth: number): unknown {
  if (typeof value === "string") return ascii.test(value) ? value : value.normalize("NFC");
  if (typeof value !== "object" || value === null) return value;
  if (depth > depthMax) throw badRequest(`The body is nested more than ${depthMax} levels deep.`);
  const holder = value as Record<string, unknown>;
  for (const key in holder) {
    const before = holder[key];
    if (typeof before === "string" || typeof before === "object") {
      const after = tidy(before, depth + 1);
      if (after !== before) holder[key] = after;
    }
  }
  return value;
}

const KiB = 2 ** 10;
const MiB = 2 ** 20;

/** Of a caller that is known. A slow one is let be, a stalled one is not. */
export const callerPace: Pace = { bytes: 16 * KiB, ms: 25_000, totalMs: Number.POSITIVE_INFINITY };

/** Every body up to this size arrives in one read, and costs a third that way. */
const smallBytesMax = 16 * KiB;

export const callerBodies = new CallerBodies(128 * MiB, callerPace);

/**
 * A webhook is read before its signature can be checked, a form before its session is. Room for the largest
 * delivery (25 MiB) from each client; GitHub gives up on a delivery after ten seconds.
 */
export const anonymousBodies = new AnonymousBodies(128 * MiB, 32 * MiB, {
  bytes: 64 * KiB,
  ms: 5_000,
  totalMs: 30_000,
});

/**
 * The whole body.
 * @param address of a client that is not authenticated yet; null where the caller is known
 * @throws {Problem} 400 where it stalls, 413 as soon as it is known to be too large, 503 where too much is
 * arriving
 */
export async function readBytes(
  request: Request,
  bytesMax: number,
  address: string | null,
): Promise<Uint8Array> {
  const refuse = () => tooLarge(`The body can have at most ${bytesMax} bytes.`);
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  if (declared > bytesMax) throw refuse();
  const budget = address === null ? callerBodies : anonymousBodies.of(address);
  if (declared <= smallBytesMax) {
    const bytes = await readSmall(request, address === null ? 0 : declared, budget);
    if (bytes.byteLength > bytesMax) throw refuse();
    return bytes;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of bodyChunks(request, budget.pace)) {
      if (size + chunk.byteLength > bytesMax) throw refuse();
      budget.take(chunk.byteLength);
      size += chunk.byteLength;
      chunks.push(chunk);
    }
  } finally {
    budget.give(size);
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
}

/** @param taken what it takes of the budget while it arrives */
async function readSmall(request: Request, taken: number, budget: BodyBudget): Promise<Uint8Array> {
  if (taken > 0) budget.take(taken);
  try {
    return await withTimeout(request.bytes().catch(cutOff), Math.min(budget.pace.ms, budget.pace.totalMs));
  } finally {
    if (taken > 0) budget.give(taken);
  }
}

/** A fast sender holds others up by no more than this takes. */
const turnBytes = 128 * KiB;

/**
 * The bytes of a body as they come; 400 where they stop coming, so that a stalled sender holds nothing for
 * long.
 */
export async function* bodyChunks({ body }: Request, pace: Pace = callerPace): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  const deadline = performance.now() + pace.totalMs;
  let left = pace.ms;
  let bytes = 0;
  const turns = new YieldBudget(turnBytes);
  try {
    for (;;) {
      const since = performance.now();
      const { done, value } = await withTimeout(
        reader.read().catch(cutOff),
        Math.min(left, deadline - since),
      );
      if (done) return;
      left -= performance.now() - since;
      bytes += value.byteLength;
      if (bytes >= pace.bytes) [left, bytes] = [pace.ms, 0];
      yield value;
      await turns.spend(value.byteLength);
    }
  } finally {
    reader.cancel().catch(() => {}); // whoever sent it may be gone
  }
}

const cutOff = (): never => {
  throw badRequest("The request body is incomplete.");
};

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      late.reject(new Problem(400, "Timed out while waiting for the request body.", { connection: "close" })),
    Math.max(0, ms),
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
