/** What processes cost, as Linux counts it. */
import { dlopen, ptr } from "bun:ffi";
import { readdirSync, readFileSync } from "node:fs";

/** `cutime` and the like are in hundredths of a second (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

const { symbols } = dlopen("libc.so.6", { clock_gettime: { args: ["i32", "ptr"], returns: "i32" } });

interface Stat {
  pid: number;
  parent: number;
  /** Of its children that ended. */
  endedTicks: number;
}

/**
 * CPU seconds of a process and all its descendants so far: to the nanosecond, but for those that ended. The
 * difference of two is what they took.
 */
export const cpuSeconds = (root: number): number =>
  treeOf(root).reduce((sum, { pid, endedTicks }) => sum + ownSeconds(pid) + endedTicks / ticksPerSecond, 0);

/** The ids of a process and all its descendants. */
export const processTree = (root: number): number[] => treeOf(root).map(({ pid }) => pid);

/** By CPUCLOCK_SCHED of a process: see `clock_getcpuclockid(3)`, and `include/linux/posix-timers.h`. */
function ownSeconds(pid: number): number {
  const time = new BigInt64Array(2);
  return symbols.clock_gettime((~pid << 3) | 2, ptr(time)) === 0
    ? Number(time[0]) + Number(time[1]) / 1e9
    : 0;
}

function treeOf(root: number): Stat[] {
  const stats = readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readStat(name) ?? []) : []));
  const childrenOf = Map.groupBy(stats, ({ parent }) => parent);
  const withDescendants = (stat: Stat): Stat[] => [
    stat,
    ...(childrenOf.get(stat.pid) ?? []).flatMap(withDescendants),
  ];
  const found = stats.find(({ pid }) => pid === root);
  if (!found) throw new Error(`process ${root} ended`);
  return withDescendants(found);
}

/** Null if the process ended. The field numbers are those of proc_pid_stat(5); the name may contain spaces. */
function readStat(name: string): Stat | null {
  try {
    const text = readFileSync(`/proc/${name}/stat`, "latin1");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return {
      pid: Number(name),
      parent: Number(fields[1]),
      endedTicks: Number(fields[13]) + Number(fields[14]),
    };
  } catch {
    return null;
  }
}

/** Resident memory of a process (`VmRSS`), or its peak (`VmHWM`), in MB. */
export function memory(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
}
