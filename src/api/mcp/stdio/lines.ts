/** Lines of text on streams. */

/** Longer lines are skipped and refused; no tool takes input of that size. */
export const lineBytesMax = 8 * 2 ** 20;

export interface LineStreams {
  input: AsyncIterable<Uint8Array>;
  /** Resolves when the line has been written. */
  write(line: string): Promise<void>;
}

/** The capacity of a pipe. Joining longer texts costs more than further writes (`bun run bench mcp`). */
const batchLengthMax = 2 ** 16;

/**
 * Writes lines of the same turn of the event loop together: a system call for each took a third of the CPU of
 * concurrent calls (`bun run bench mcp`).
 */
export class LineWriter {
  #batch = "";
  #scheduled: Promise<void> | undefined;
  /** The last write. */
  #written: Promise<void> = Promise.resolve();
  /** Characters of writes in progress. */
  #writing = 0;

  constructor(readonly writeNow: LineStreams["write"]) {}

  /** Characters that have not been written yet. */
  get backlog(): number {
    return this.#batch.length + this.#writing;
  }

  /**
   * Resolves when the line has been written.
   * @param isLast no other line is expected, so this one is written without waiting for the end of the turn
   */
  write(line: string, isLast: boolean): Promise<void> {
    this.#batch = this.#batch === "" ? line : `${this.#batch}\n${line}`;
    if (isLast || this.#batch.length > batchLengthMax) return this.#flush();
    if (!this.#scheduled) {
      this.#scheduled = new Promise(setImmediate).then(() => this.#flush());
      this.#scheduled.catch(() => {}); // reported to those who wait for it
    }
    return this.#scheduled;
  }

  /** Resolves when every line so far has been written. */
  flushed(): Promise<void> {
    return this.#flush();
  }

  #flush(): Promise<void> {
    this.#scheduled = undefined;
    const batch = this.#batch;
    if (batch === "") return this.#written;
    this.#batch = "";
    this.#writing += batch.length;
    this.#written = this.writeNow(batch).finally(() => (this.#writing -= batch.length));
    this.#written.catch(() => {}); // reported to those who wait for it
    return this.#written;
  }
}

const newline = 10;

/** Yields the non-blank lines of each chunk; null for one that is too long. The last needs no line break. */
export async function* readLines(input: LineStreams["input"]): AsyncGenerator<(Uint8Array | null)[]> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const addPart = (part: Uint8Array) => {
    size += part.length;
    if (size <= lineBytesMax) parts.push(part);
  };
  const finishLine = () => {
    const line =
      size > lineBytesMax ? null : parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts);
    parts = [];
    size = 0;
    return line;
  };
  for await (const chunk of input) {
    const lines: (Uint8Array | null)[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      addPart(chunk.subarray(start, end));
      lines.push(finishLine());
      start = end + 1;
    }
    // Copied: a chunk can be much larger than the start of a line at its end.
    if (start < chunk.length) addPart(chunk.slice(start));
    yield lines.filter(isNotBlank);
  }
  yield [finishLine()].filter(isNotBlank);
}

const isNotBlank = (line: Uint8Array | null): boolean => line === null || line.some((byte) => byte > 32);
