/** A progress bar on standard error, if that is a terminal. */

import { replaceLine, writeError } from "./terminal.ts";

export interface Progress {
  /** Adds processed bytes. */
  advance(bytes: number): void;
  /** Draws the bar with a note. */
  show(note: string): void;
  end(): void;
}

const barWidth = 30;

/** @param total in bytes, or null if unknown */
export function progress(title: string, total: number | null): Progress {
  let done = 0;
  let isDrawn = false;
  return {
    advance(bytes) {
      done += bytes;
    },
    show(note) {
      if (!process.stderr.isTTY) return;
      const fraction = total ? Math.min(1, done / total) : 0;
      const filled = Math.round(fraction * barWidth);
      const percent = String(Math.floor(fraction * 100)).padStart(3);
      const bar = total ? `[${"█".repeat(filled)}${"░".repeat(barWidth - filled)}] ${percent} % ` : "";
      replaceLine(`${title} ${bar}${note}`);
      isDrawn = true;
    },
    end() {
      if (isDrawn) writeError("\n");
    },
  };
}
