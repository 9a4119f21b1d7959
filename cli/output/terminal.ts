/**
 * The only place that writes to standard output and standard error. Whatever a server, a database or a file
 * says, no escape sequence of theirs reaches the terminal.
 */
import fs from "node:fs";
import { escapeForTerminal } from "../../src/core/lib/strings/display-text.ts";

/** Marks the escape sequences of `styles`: text from elsewhere cannot know it. */
export const ownMark = String(crypto.getRandomValues(new Uint32Array(1))[0]);
const markedStyle = new RegExp(String.raw`\\u001b\[(\d+);${ownMark}m`, "g");

/** The text as it is written: with the escape sequences of `styles`, and all others made visible. */
export const terminalText = (text: string): string =>
  escapeForTerminal(text).replace(markedStyle, "\u001b[$1m");

/** Whether text waits in the stream, or has: what follows has to come after it. */
let isStreamed = false;

/**
 * Writes to standard output, without `process.stdout`: that takes 10 ms of CPU to load (`bun run bench
 * help`).
 * @param onWritten once the text is written, or with the error that prevented it
 * @throws that error without `onWritten`
 */
export function writeOutput(text: string, onWritten?: (error?: Error | null) => void): void {
  const bytes = Buffer.from(terminalText(text));
  let written = 0;
  try {
    while (!isStreamed && written < bytes.length) written += fs.writeSync(1, bytes, written);
  } catch (error) {
    // A pipe that does not block is full: the stream waits until the reader has made room.
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") {
      if (!onWritten) throw error;
      onWritten(error as Error);
      return;
    }
    isStreamed = true;
  }
  if (isStreamed) process.stdout.write(bytes.subarray(written), onWritten);
  else onWritten?.();
}

/** Columns of the terminal that standard output is; null for a file or a pipe. */
export const outputColumns = (): number | null =>
  isDevice(1) && process.stdout.isTTY ? process.stdout.columns || 80 : null;

/** Whether it can be a terminal. `isTTY` loads the stream. */
function isDevice(descriptor: number): boolean {
  try {
    return fs.fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false; // closed
  }
}

/** Writes to standard error. */
export const writeError = (text: string): void => void process.stderr.write(terminalText(text));

/** Replaces the last line of standard error, which is a terminal. */
export const replaceLine = (text: string): void =>
  void process.stderr.write(`\r\u001b[K${terminalText(text)}`);

/** True for `y` or `yes`; anything else, and the end of the input, is no. */
export async function confirm(question: string): Promise<boolean> {
  // Few commands ask, and it takes 3 ms of CPU to load.
  const { createInterface } = await import("node:readline/promises");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
  try {
    return /^y(es)?$/i.test(
      (await Promise.race([terminal.question(terminalText(`${question} [y/N] `)), closed])).trim(),
    );
  } finally {
    terminal.close();
  }
}

/** Columns of the terminal; Infinity if the output is not a terminal. */
export const terminalWidth = (): number => outputColumns() ?? Number.POSITIVE_INFINITY;
