/** A JSON body as it came in: strict about its form, before any schema looks at it. */
import { badRequest, Problem, tooLarge, unavailable, wrongMedia } from "./problem.ts";
import { Turns } from "./turn.ts";

export const bodyBytesMax = 2 ** 20;
const depthMax = 32;

/** The type of the body, without its parameters. */
export const mediaOf = (request: Pick<Request, "headers">): string | undefined =>
  request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();

export function requireJson(request: Request): void {
  if (mediaOf(request) !== "application/json") throw wrongMedia("The body must be sent as Content-Type: application/json.");
}

export function parseJson(bytes: Uint8Array): unknown {
  let value: unknown;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badRequest("The body is not UTF-8.");
  }
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest("The body is not JSON.");
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

/** Bodies that are read whole are held here while they come: all of them together may be so large. */
export const holding = { bytes: 0, bytesMax: 128 * 2 ** 20 };

/** The whole body, or 413 as soon as it is known to be too large, or 503 where too much is on its way already. */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const refuse = () => tooLarge(`The body may have at most ${bytesMax} bytes.`);
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  if (declared > bytesMax) throw refuse();
  // So little has to come in one piece of time anyway, and read at once it costs a third.
  if (declared <= progress.bytes) {
    const bytes = await within(request.bytes(), progress.ms);
    if (bytes.byteLength > bytesMax) throw refuse();
    return bytes;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of progressing(request)) {
      size += chunk.byteLength;
      holding.bytes += chunk.byteLength;
      if (size > bytesMax) throw refuse();
      if (holding.bytes > holding.bytesMax) throw unavailable("Too many large bodies come in at once; try again.");
      chunks.push(chunk);
    }
  } finally {
    holding.bytes -= size;
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
}

/** While we wait for it, a body has to bring so many bytes in so many milliseconds, or its end. */
export const progress = { bytes: 16 * 2 ** 10, ms: 25_000 };

/** A fast sender holds others up by no more than this takes. */
const turnBytes = 128 * 2 ** 10;

/** The bytes of a body as they come; 400 where they stop coming, so that a stalled sender holds nothing for long. */
export async function* progressing({ body }: Request): AsyncGenerator<Uint8Array> {
  if (!body) return;
  const reader = body.getReader();
  let left = progress.ms;
  let bytes = 0;
  const turns = new Turns(turnBytes);
  try {
    for (;;) {
      const since = performance.now();
      const { done, value } = await within(reader.read().catch(cutOff), left);
      if (done) return;
      left -= performance.now() - since;
      bytes += value.byteLength;
      if (bytes >= progress.bytes) [left, bytes] = [progress.ms, 0];
      yield value;
      await turns.took(value.byteLength);
    }
  } finally {
    reader.cancel().catch(() => {}); // whoever sent it may be gone
  }
}

const cutOff = (): never => {
  throw badRequest("The body was cut off.");
};

async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Problem(400, "The body stopped coming.", { connection: "close" })), Math.max(0, ms));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
