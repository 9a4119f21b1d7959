/** A progress bar that other output can interrupt, and that `--quiet` turns off. */
import { type Progress, progress } from "./progress.ts";
import type { OutputArgs } from "./report.ts";
import { truncate } from "./table.ts";
import { replaceLine } from "./terminal.ts";

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
