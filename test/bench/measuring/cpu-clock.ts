/** The CPU clock of other processes, to the nanosecond: `/proc` counts in hundredths of a second. */
import { dlopen, ptr } from "bun:ffi";
import { processTree } from "./process-cost.ts";

/** CPUCLOCK_SCHED of a process: see `clock_getcpuclockid(3)`, and `include/linux/posix-timers.h`. */
const clockOf = (pid: number): number => (~pid << 3) | 2;

const { symbols } = dlopen("libc.so.6", { clock_gettime: { args: ["i32", "ptr"], returns: "i32" } });

/** CPU milliseconds of a process and its descendants that still run; the difference of two is what they took. */
export function cpuMs(root: number): number {
  const time = new BigInt64Array(2);
  return processTree(root).reduce((sum, pid) => {
    const isKnown = symbols.clock_gettime(clockOf(pid), ptr(time)) === 0;
    return isKnown ? sum + Number(time[0]) * 1_000 + Number(time[1]) / 1e6 : sum;
  }, 0);
}
