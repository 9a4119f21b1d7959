/** A JSON body as it came in: strict about its form, before any schema looks at it. */
import { badRequest, tooLarge, wrongMedia } from "./problem.ts";

export const bodyBytesMax = 2 ** 20;
const depthMax = 32;

export function requireJson(request: Request): void {
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") throw wrongMedia("The body must be sent as Content-Type: application/json.");
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

/** The whole body, or 413 as soon as it is known to be too large. */
export async function readBytes(request: Request, bytesMax: number): Promise<Uint8Array> {
  const refuse = () => tooLarge(`The body may have at most ${bytesMax} bytes.`);
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) throw refuse();
  if (!request.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > bytesMax) throw refuse();
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks);
}
