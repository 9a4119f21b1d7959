import { writeSync } from "node:fs";
import { commit, version } from "../../src/core/version.ts";

/** `0.0.1 (abc1234)`. */
export const versionLine = `${version} (${commit})`;

/** Prints the version without `process.stdout`: the entry point does, before it loads anything else. */
export function printVersion(): void {
  try {
    writeSync(1, `${versionLine}\n`);
  } catch {} // the reader closed the pipe
}
