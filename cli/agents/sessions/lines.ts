/** Reads files line by line, with memory that does not grow with them. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import { timeOf } from "./fields.ts";

const chunkBytes = 1024 * 1024;
/** A longer line is a result of a tool: nothing that is read here is that long. */
const lineBytesMax = 32 * 1024 * 1024;
const newline = 0x0a;

/** Files are read one after the other, in the same memory. */
let spare: Buffer | undefined;

export interface LineReader {
  /** @param isWhole false for a last line without its end, which may still be written */
  line(line: Buffer, isWhole: boolean): void;
  advance(bytes: number): void;
  /** A line was too long. */
  tooLong(): void;
}

/** Reads what the file has now. @throws if it cannot be read */
export async function readLines(path: string, { line, advance, tooLong }: LineReader): Promise<void> {
  const file = await open(path);
  try {
    let buffer = spare ?? Buffer.allocUnsafe(chunkBytes);
    spare = undefined;
    let [filled, isDropping] = [0, false];
    for (;;) {
      if (filled === buffer.length) {
        if (filled < lineBytesMax) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(filled)]);
        else {
          if (!isDropping) tooLong();
          [filled, isDropping] = [0, true];
        }
      }
      const { bytesRead } = await file.read(buffer, filled, buffer.length - filled);
      if (bytesRead === 0) break;
      advance(bytesRead);
      const end = filled + bytesRead;
      let start = 0;
      for (let at = findNewline(buffer, filled, end); at >= 0; at = findNewline(buffer, start, end)) {
        if (isDropping) isDropping = false;
        else line(buffer.subarray(start, at), true);
        start = at + 1;
      }
      buffer.copyWithin(0, start, end);
      filled = end - start;
    }
    if (filled > 0 && !isDropping) line(buffer.subarray(0, filled), false);
    if (buffer.length === chunkBytes) spare = buffer;
  } finally {
    await file.close();
  }
}

function findNewline(buffer: Buffer, from: number, end: number): number {
  const at = buffer.indexOf(newline, from);
  return at < end ? at : -1;
}

const headBytes = 256 * 1024;
const edgeBytes = 16 * 1024;

/** The first bytes of a file as text; empty if it cannot be read. */
export const readHead = (path: string, bytes = headBytes): string => readPart(path, bytes, () => 0);

/** What a pattern finds near the beginning of a file, in a few lines if possible. */
export const findInHead = (path: string, pattern: RegExp): string | undefined =>
  pattern.exec(readHead(path, edgeBytes))?.[1] ?? pattern.exec(readHead(path))?.[1];

/** @param from where it begins in a file of this size */
function readPart(path: string, bytes: number, from: (size: number) => number): string {
  try {
    const file = openSync(path, "r");
    try {
      const buffer = Buffer.allocUnsafe(bytes);
      const start = Math.max(0, from(fstatSync(file).size));
      return buffer.toString("utf8", 0, readSync(file, buffer, 0, bytes, start));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

/** A quote within a text is escaped, so this is a field. */
const timeField = /"timestamp":"([^"]{10,40})"/;
const timeFields = new RegExp(timeField, "g");

export const firstTimeIn = (path: string): string | undefined => timeOf(findInHead(path, timeField));

/** The last time that the end of a file names. @param latest in milliseconds */
export function lastTimeIn(path: string, latest: number): string | undefined {
  const tail = readPart(path, edgeBytes, (size) => size - edgeBytes);
  return [...tail.matchAll(timeFields)]
    .flatMap(([, time]) => timeOf(time) ?? [])
    .filter((time) => Date.parse(time) <= latest + 1000)
    .at(-1);
}
