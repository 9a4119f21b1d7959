/** Parses forms: urlencoded ones of the website, and multipart ones with a file. */

import type { FormPart } from "../../../core/lib/http/file-form.ts";
import {
  anonymousBodies,
  bodyChunks,
  mediaTypeOf,
  readBytes,
  uploadChunks,
} from "../../../core/lib/http/request-body.ts";
import { urlEncodedPairs } from "../../../core/lib/http/url-encoding.ts";
import { normalizeUnicode } from "../../../core/lib/strings/nfc.ts";
import { badRequest, unsupportedMediaType } from "../../../core/problem.ts";
import { type Part, readParts } from "./multipart.ts";

/** The limit of a whole urlencoded form, and of one field of a multipart form. */
const formBytesMax = 64 * 2 ** 10;
const csrfBytesMax = 256;

/**
 * Fields of an urlencoded form. CRLF becomes LF, text becomes NFC.
 * @param address client IP of a visitor who is not signed in; null if signed in
 * @throws {Problem} 400 for a field that is repeated or not UTF-8, 415 for another content type
 */
export async function readForm(request: Request, address: string | null): Promise<Map<string, string>> {
  if (mediaTypeOf(request) !== "application/x-www-form-urlencoded")
    throw unsupportedMediaType("Send the form as Content-Type: application/x-www-form-urlencoded.");
  const form = new Map<string, string>();
  const bytes = await readBytes(request, formBytesMax, address);
  const text = new TextDecoder().decode(bytes);
  for (const [name, value] of urlEncodedPairs(text, () => true)) {
    if (form.has(name)) throw badRequest(`${name} can be given only once.`);
    form.set(name, normalized(value));
  }
  return form;
}

interface PageForm {
  /** The first part, so that a forged form is rejected before its file is read; null if missing. */
  csrf: string | null;
  /** The other parts, not read yet. */
  parts: AsyncGenerator<FormPart>;
}

/** Starts reading a multipart form of the website with a file. */
export async function readFileForm(request: Request, isSignedIn: boolean): Promise<PageForm> {
  const chunks = isSignedIn ? uploadChunks(request) : bodyChunks(request, anonymousBodies.pace);
  const parts = readParts(request, chunks);
  const { value: first } = await parts.next();
  if (first?.name !== "csrf" || first.filename !== null) return { csrf: null, parts: formParts(parts) };
  const csrf = await readUpTo(csrfBytesMax, first.body);
  return { csrf: csrf?.toString() ?? null, parts: formParts(nonEmptyParts(parts)) };
}

/** The content, or null if it is longer than `bytesMax`. */
async function readUpTo(bytesMax: number, content: AsyncIterable<Uint8Array>): Promise<Buffer | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > bytesMax) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The parts of a multipart form, for an operation. */
export async function* formParts(parts: AsyncIterable<Part>): AsyncGenerator<FormPart> {
  for await (const { name, filename, body } of parts)
    yield { name, filename, content: body, text: () => readField(name, body) };
}

/**
 * The text of a field: CRLF becomes LF, text becomes NFC.
 * @throws {Problem} 400 if it is too long or not UTF-8
 */
async function readField(name: string, content: AsyncIterable<Uint8Array>): Promise<string> {
  const bytes = await readUpTo(formBytesMax, content);
  if (bytes === null) throw badRequest(`${name} is longer than ${formBytesMax} bytes.`);
  try {
    return normalized(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw badRequest(`${name} is not valid UTF-8.`);
  }
}

const normalized = (text: string): string => normalizeUnicode(text.replaceAll("\r\n", "\n"));

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
