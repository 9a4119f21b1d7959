/** Lines of text on streams. */

/** Longer lines are skipped and refused; no tool takes input of that size. */
export const lineBytesMax = 8 * 2 ** 20;

export interface LineStreams {
  input: AsyncIterable<Uint8Array>;
  /** Resolves when the line has been written. */
  write(line: string): Promise<void>;
}

/**
 * Writes lines of the same turn of the event loop at once: a system call for each took a third of the CPU of
 * concurrent calls (`bun run bench mcp`).
 */
export class LineBatch {
  #lines: string[] = [];
  #scheduled: Promise<void> | undefined;
  /** The last write. */
  #written: Promise<void> = Promise.resolve();

  constructor(readonly writeNow: LineStreams["write"]) {}

  /**
   * Resolves when the line has been written.
   * @param isLast no other line is expected, so this one is written without waiting for the end of the turn
   */
  write(line: string, isLast: boolean): Promise<void> {
    this.#lines.push(line);
    if (isLast) return this.#flush();
    this.#scheduled ??= new Promise(setImmediate).then(() => this.#flush());
    return this.#scheduled;
  }

  #flush(): Promise<void> {
    this.#scheduled = undefined;
    if (this.#lines.length > 0) this.#written = this.writeNow(this.#lines.splice(0).join("\n"));
    return this.#written;
  }
}

const newline = 10;

/** Yields each non-blank line, or null for one that is too long. The last line needs no line break. */
export async function* readLines(input: LineStreams["input"]): AsyncGenerator<Uint8Array | null> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const finishLine = () => {
    const line = size > lineBytesMax ? null : Buffer.concat(parts);
    parts = [];
    size = 0;
    return line;
  };
  const addPart = (part: Uint8Array) => {
    size += part.length;
    if (size <= lineBytesMax) parts.push(part);
  };
  const isNotBlank = (line: Uint8Array | null) => line === null || line.some((byte) => byte > 32);
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      addPart(chunk.subarray(start, end));
      const line = finishLine();
      if (isNotBlank(line)) yield line;
      start = end + 1;
    }
    if (start < chunk.length) addPart(chunk.subarray(start));
  }
  const last = finishLine();
  if (isNotBlank(last)) yield last;
}
