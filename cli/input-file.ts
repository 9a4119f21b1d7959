/** Text files that are named on the command line, and standard input. */
import { stat } from "node:fs/promises";
import { CommandError } from "./command-errors.ts";

/**
 * Opens a file to read, or standard input for `-`. It may be a pipe, such as `<(jq …)` in bash.
 * @throws CommandError if there is no such file
 */
export async function openInput(path: string): Promise<Bun.BunFile> {
  if (path === "-") return Bun.stdin;
  const stats = await stat(path).catch(() => null);
  if (!stats) throw new CommandError(`File not found: ${path}`);
  if (stats.isDirectory()) throw new CommandError(`${path} is a folder. Name a file in it.`);
  return Bun.file(path);
}

/**
 * Splits a stream of UTF-8 text into lines.
 * @throws CommandError that names the line of other bytes
 */
export async function* linesOf(
  stream: ReadableStream<Uint8Array>,
  advance: (bytes: number) => void,
): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  const decode = (bytes: Uint8Array): string => {
    number++;
    try {
      return decoder.decode(bytes);
    } catch {
      throw new CommandError(`line ${number}: not valid UTF-8`);
    }
  };
  let rest: Uint8Array[] = [];
  for await (const chunk of stream) {
    advance(chunk.byteLength);
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const tail = chunk.subarray(start, end);
      yield decode(rest.length === 0 ? tail : Buffer.concat([...rest, tail]));
      rest = [];
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
  }
  const last = Buffer.concat(rest);
  if (last.length > 0) yield decode(last);
}

const newline = 0x0a;
