/** Reads a secret: from the terminal without echo, or from standard input. */
import { UsageError } from "../command-errors.ts";
import { writeError } from "../output/terminal.ts";

const ctrlC = 3;
const ctrlD = 4;
const backspaces = [8, 127];
const lineEnds = [10, 13];
const secretBytesMax = 4096;

/**
 * Returns one line without the spaces around it. A terminal shows the prompt on standard error and nothing
 * that is typed.
 */
export async function readSecret(prompt: string): Promise<string> {
  const secret = process.stdin.isTTY ? await readHidden(prompt) : await readPiped();
  if (!secret) throw new UsageError("No token. Paste it at the prompt, or pipe it to standard input.");
  return secret;
}

async function readPiped(): Promise<string> {
  const [line = ""] = (await Bun.stdin.text()).trim().split("\n");
  return line.trim();
}

async function readHidden(prompt: string): Promise<string> {
  const { stdin } = process;
  // Before the prompt: a terminal echoes what is typed until then.
  stdin.setRawMode(true);
  writeError(prompt);
  try {
    return await new Promise<string>((resolve) => {
      const typed: number[] = [];
      stdin.on("data", (chunk: Buffer) => {
        for (const byte of chunk) {
          if (byte === ctrlC) {
            stdin.setRawMode(false);
            writeError("\n");
            process.exit(130);
          }
          if (byte === ctrlD || lineEnds.includes(byte)) resolve(Buffer.from(typed).toString().trim());
          else if (backspaces.includes(byte)) typed.pop();
          else if (typed.length < secretBytesMax) typed.push(byte);
        }
      });
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    writeError("\n");
  }
}
