/** Asks a yes-or-no question on the terminal. */
import { createInterface } from "node:readline/promises";
import { terminalText } from "./terminal.ts";

/** True for `y` or `yes`; anything else, and the end of the input, is no. */
export async function confirm(question: string): Promise<boolean> {
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
