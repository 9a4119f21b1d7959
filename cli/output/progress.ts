/** A progress bar on standard error, if that is a terminal. */

import type { OutputArgs } from "./report.ts";
import { truncate } from "./table.ts";
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

/** A progress bar that other output can interrupt, and that `--quiet` turns off. */
export interface PausableProgress extends Progress {
  /** Removes the bar from the terminal, so that a line can be printed; the next `show` draws it again. */
  clear(): void;
}

/** Columns of the bar with its percentage, and the last column, which stays empty. */
const barColumns = 42;

/** @param total in bytes, or null if unknown */
export function openProgress(title: string, total: number | null, { quiet }: OutputArgs): PausableProgress {
  if (quiet) return { advance() {}, show() {}, end() {}, clear() {} };
  const bar = progress(title, total);
  let isShown = false;
  return {
    ...bar,
    show(text) {
      // A wrapped bar could not be redrawn.
      bar.show(truncate(text, (process.stderr.columns || 80) - title.length - (total ? barColumns : 2)));
      isShown = true;
    },
    clear() {
      if (isShown && process.stderr.isTTY) replaceLine("");
      isShown = false;
    },
    end() {
      if (isShown) bar.end();
      isShown = false;
    },
  };
}
