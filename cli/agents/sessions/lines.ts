/** Reads files line by line, with memory that does not grow with them. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { open } from "node:fs/promises";
import { timeOf } from "./fields.ts";

const chunkBytes = 1024 * 1024;
/** A longer line is a result of a tool: nothing that is read here is that long. */
const lineBytesMax = 32 * 1024 * 1024;
const newline = 0x0a;

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
    let buffer = Buffer.allocUnsafe(chunkBytes);
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
  } finally {
    await file.close();
  }
}

function findNewline(buffer: Buffer, from: number, end: number): number {
  const at = buffer.indexOf(newline, from);
  return at < end ? at : -1;
}

const edgeBytes = 256 * 1024;

/** The first bytes of a file as text; empty if it cannot be read. */
export const readHead = (path: string): string => readPart(path, () => 0);

/** @param from where it begins in a file of this size */
function readPart(path: string, from: (size: number) => number): string {
  try {
    const file = openSync(path, "r");
    try {
      const buffer = Buffer.allocUnsafe(edgeBytes);
      const start = Math.max(0, from(fstatSync(file).size));
      return buffer.toString("utf8", 0, readSync(file, buffer, 0, edgeBytes, start));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}

export interface Times {
  first: string | undefined;
  last: string | undefined;
}

/** A quote within a text is escaped, so this is a field. */
const timeField = /"timestamp":"([^"]{10,40})"/g;

const timesIn = (text: string): string[] =>
  [...text.matchAll(timeField)].flatMap(([, time]) => timeOf(time) ?? []);

export const firstTimeIn = (head: string): string | undefined => timesIn(head).at(0);

/** The first and the last time that the ends of a file name. @param latest in milliseconds */
export function timesOf(path: string, latest: number): Times {
  const tail = timesIn(readPart(path, (size) => size - edgeBytes));
  return {
    first: firstTimeIn(readHead(path)),
    last: tail.filter((time) => Date.parse(time) <= latest + 1000).at(-1),
  };
}
