/**
 * The only place that writes to standard output and standard error. Whatever a server, a database or a file
 * says, no escape sequence of theirs reaches the terminal.
 */
import { colors } from "consola/utils";
import { escapeForTerminal } from "../../src/core/lib/strings/display-text.ts";

/** Marks the escape sequences of this process: text from elsewhere cannot know it. */
const ownMark = String(crypto.getRandomValues(new Uint32Array(1))[0]);
const markedStyle = new RegExp(String.raw`\\u001b\[(\d+);${ownMark}m`, "g");

/** Styles in the terminal, without any color where consola sees that it has none. */
export const styles = {
  bold: style(colors.bold),
  dim: style(colors.dim),
  red: style(colors.red),
  green: style(colors.green),
  yellow: style(colors.yellow),
  blue: style(colors.blue),
  magenta: style(colors.magenta),
  cyan: style(colors.cyan),
  cyanBright: style(colors.cyanBright),
  gray: style(colors.gray),
};

/** The style with a mark in its escape sequences, which `terminalText` removes. */
function style(paint: (text: string) => string): (text: string) => string {
  const [start = "", end = ""] = paint("|")
    .split("|")
    .map((sequence) => sequence.replaceAll("m", `;${ownMark}m`));
  return (text) => start + text + end;
}

/** The text as it is written: with the escape sequences of `styles`, and all others made visible. */
export const terminalText = (text: string): string =>
  escapeForTerminal(text).replace(markedStyle, "\u001b[$1m");

/** Writes to standard output. @param onWritten once the text is written, or with the error that prevented it */
export const writeOutput = (text: string, onWritten?: (error?: Error | null) => void): void =>
  void process.stdout.write(terminalText(text), onWritten);

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
