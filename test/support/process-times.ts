/**
 * Wall and CPU time of processes, beside those of an executable of Bun that does nothing: what a machine that
 * does other things adds is in both.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { must } from "./conditions.ts";

export interface ProcessTimes {
  /** From the start of the process to its end. */
  ms: number;
  /** User and system time of all of its threads. */
  cpuMs: number;
}

/** The times of a process that has ended. @param started `performance.now()` before it was started */
export function processTimes(child: Bun.Subprocess, started: number): ProcessTimes {
  return { ms: performance.now() - started, cpuMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000 };
}

/** Compiles a program that exits at once. @returns runs it */
export async function emptyExecutable(folder: string): Promise<() => Promise<ProcessTimes>> {
  const [source, outfile] = [join(folder, "empty.ts"), join(folder, "empty")];
  await Bun.write(source, "process.exit(0);\n");
  await Bun.build({ entrypoints: [source], compile: { outfile }, bytecode: true, format: "esm" });
  await rm(source);
  return async () => {
    const started = performance.now();
    const child = Bun.spawn([outfile], { env: {}, cwd: folder, stdio: ["pipe", "pipe", "pipe"] });
    await child.stdin.end();
    await child.exited;
    return processTimes(child, started);
  };
}

export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return must(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]);
};

/** One line: smallest, median, 99th percentile and largest of wall and CPU time. */
export function timesLine(name: string, times: readonly ProcessTimes[]): string {
  const line = (values: number[]) =>
    (["min", "p50", "p99", "max"] as const)
      .map((label, index) => `${label} ${quantile(values, must([0, 0.5, 0.99, 1][index])).toFixed(1)}`)
      .join("  ");
  const [wall, cpu] = [times.map(({ ms }) => ms), times.map(({ cpuMs }) => cpuMs)];
  return `${name.padEnd(28)} wall ms ${line(wall)} | CPU ms ${line(cpu)}\n`;
}
