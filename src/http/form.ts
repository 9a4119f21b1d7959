/** Forms of the pages, as browsers send them. */
import { anonymousBodies, callerPace, mediaTypeOf, readBytes } from "../lib/request-body.ts";
import { badRequest, unsupportedMediaType } from "../problem.ts";
import { type Part, readParts } from "./multipart.ts";

const formBytesMax = 64 * 2 ** 10;
const csrfBytesMax = 256;

/**
 * Fields of an urlencoded form, each once; line breaks as they are everywhere else.
 * @param address of a visitor who is not signed in; null of one who is
 */
export async function readForm(request: Request, address: string | null): Promise<Map<string, string>> {
  if (mediaTypeOf(request) !== "application/x-www-form-urlencoded")
    throw unsupportedMediaType("Send the form as Content-Type: application/x-www-form-urlencoded.");
  const form = new Map<string, string>();
  const bytes = await readBytes(request, formBytesMax, address);
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(bytes))) {
    if (form.has(name)) throw badRequest(`${name} can be given only once.`);
    form.set(name, value.replaceAll("\r\n", "\n").normalize("NFC"));
  }
  return form;
}

export interface FileForm {
  /** Our pages say it first, so that nothing of a foreign form has to be read. */
  csrf: string | null;
  /** The rest, still to come. */
  parts: AsyncGenerator<Part>;
}

/** A form with a file. */
export async function readFileForm(request: Request, isSignedIn: boolean): Promise<FileForm> {
  const parts = readParts(request, isSignedIn ? callerPace : anonymousBodies.pace);
  const { value: first } = await parts.next();
  if (first?.name !== "csrf" || first.filename !== null) return { csrf: null, parts };
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of first.body) {
    size += chunk.length;
    if (size > csrfBytesMax) return { csrf: null, parts };
    chunks.push(chunk);
  }
  return { csrf: Buffer.concat(chunks).toString(), parts: filled(parts) };
}

/** A form sends the fields that nobody filled in as well. */
async function* filled(parts: AsyncGenerator<Part>): AsyncGenerator<Part> {
  for await (const part of parts) {
    const first = await part.body.next();
    if (!first.done || part.filename)
      yield { ...part, body: first.done ? part.body : rejoined(first.value, part.body) };
  }
}

async function* rejoined(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
