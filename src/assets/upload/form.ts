/** The multipart form of an upload: fields in any order and one file. */
import { badRequest } from "../../problem.ts";

/** A part of a multipart form. */
export interface FormPart {
  name: string;
  /** Null for a field that is not a file. */
  filename: string | null;
  body: AsyncIterable<Uint8Array>;
}

const fieldBytesMax = 64 * 2 ** 10;
const numericFields: ReadonlySet<string> = new Set(["issue", "pr"]);

/** Reads a field as its JSON value: digits become numbers, comma-separated tags a list, CRLF becomes LF. */
export async function readField({ name, body }: FormPart): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > fieldBytesMax) throw badRequest(`${name} is longer than ${fieldBytesMax} bytes.`);
    chunks.push(chunk);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true })
      .decode(Buffer.concat(chunks))
      .replaceAll("\r\n", "\n")
      .normalize("NFC");
  } catch {
    throw badRequest(`${name} is not valid UTF-8.`);
  }
  if (name === "tags")
    return text
      .split(",")
      .map((tag) => tag.trim())
      .filter(Boolean);
  return numericFields.has(name) && /^\d+$/.test(text) ? Number(text) : text;
}
