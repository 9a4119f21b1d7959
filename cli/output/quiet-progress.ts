/** A progress bar that other output can interrupt, and that `--quiet` turns off. */
import { type Progress, progress } from "./progress.ts";
import type { OutputArgs } from "./report.ts";

export interface PausableProgress extends Progress {
  /** Removes the bar from the terminal, so that a line can be printed; the next `show` draws it again. */
  clear(): void;
}

/** @param total in bytes, or null if unknown */
export function openProgress(title: string, total: number | null, { quiet }: OutputArgs): PausableProgress {
  if (quiet) return { advance() {}, show() {}, end() {}, clear() {} };
  const bar = progress(title, total);
  let isShown = false;
  return {
    ...bar,
    show(text) {
      bar.show(text);
      isShown = true;
    },
    clear() {
      if (isShown && process.stderr.isTTY) process.stderr.write("\r\x1b[K");
      isShown = false;
    },
    end() {
      if (isShown) bar.end();
      isShown = false;
    },
  };
}
