/** What processes cost, as Linux counts it in /proc. */
import { readdirSync, readFileSync } from "node:fs";

/** `utime` and the like are in hundredths of a second (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

interface Stat {
  pid: number;
  parent: number;
  /** Of the process and of its children that ended. */
  ticks: number;
}

/** CPU seconds of a process and all its descendants so far, those that ended included. */
export const cpuSeconds = (root: number): number =>
  treeOf(root).reduce((sum, { ticks }) => sum + ticks, 0) / ticksPerSecond;

/** The ids of a process and all its descendants. */
export const processTree = (root: number): number[] => treeOf(root).map(({ pid }) => pid);

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
    const ticks = fields.slice(11, 15).reduce((total, field) => total + Number(field), 0);
    return { pid: Number(name), parent: Number(fields[1]), ticks };
  } catch {
    return null;
  }
}

/** Resident memory of a process (`VmRSS`), or its peak (`VmHWM`), in MB. */
export function memory(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
}
