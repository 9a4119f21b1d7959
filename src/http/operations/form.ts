/** Parses HTML forms of the website. */
import { anonymousBodies, callerPace, mediaTypeOf, readBytes } from "../../lib/request-body.ts";
import { badRequest, unsupportedMediaType } from "../../problem.ts";
import { type Part, readParts } from "./multipart.ts";

const formBytesMax = 64 * 2 ** 10;
const csrfBytesMax = 256;

/**
 * Fields of an urlencoded form. CRLF becomes LF, text becomes NFC.
 * @param address client IP of a visitor who is not signed in; null if signed in
 * @throws {Problem} 400 for a repeated field, 415 for another content type
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
  /** The first part, so that a forged form is rejected before its file is read; null if missing. */
  csrf: string | null;
  /** The other parts, not read yet. */
  parts: AsyncGenerator<Part>;
}

/** Starts reading a multipart form with a file. */
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
  return { csrf: Buffer.concat(chunks).toString(), parts: nonEmptyParts(parts) };
}

/** Leaves out empty fields, which browsers send as well. */
async function* nonEmptyParts(parts: AsyncGenerator<Part>): AsyncGenerator<Part> {
  for await (const part of parts) {
    const first = await part.body.next();
    if (!first.done || part.filename)
      yield { ...part, body: first.done ? part.body : prepend(first.value, part.body) };
  }
}

async function* prepend(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}
