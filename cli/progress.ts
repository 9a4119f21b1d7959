/** A progress bar on standard error, where that is a terminal. */

export interface Progress {
  /** So many bytes more are done. */
  advance(bytes: number): void;
  /** Draws, with a word on what was done. */
  show(note: string): void;
  end(): void;
}

const barWidth = 30;

/** @param total in bytes; null where nobody knows */
export function progress(title: string, total: number | null): Progress {
  const out = process.stderr;
  let done = 0;
  let drawn = false;
  return {
    advance(bytes) {
      done += bytes;
    },
    show(note) {
      if (!out.isTTY) return;
      const share = total ? Math.min(1, done / total) : 0;
      const filled = Math.round(share * barWidth);
      const bar = total
        ? `[${"█".repeat(filled)}${"░".repeat(barWidth - filled)}] ${String(Math.floor(share * 100)).padStart(3)} % `
        : "";
      out.write(`\r\x1b[K${title} ${bar}${note}`);
      drawn = true;
    },
    end() {
      if (drawn) out.write("\n");
    },
  };
}
