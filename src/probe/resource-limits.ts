/**
 * What the kernel enforces where it can, in front of a command: a ceiling on memory between two looks of
 * ours, an end of CPU time, no core dump, and death with the parent. Nothing where the programs for it are
 * missing.
 */

const MiB = 2 ** 20;
/** JavaScriptCore sets aside this much before it does anything. */
const reservedBytes = 256 * MiB;
/** Twice its time to work: threads add up, and our own clock should end it first. */
const cpuPerSecond = 2;
const fileBytes = 1 * MiB;
const openFiles = 64;

/** @returns the words for a child that may work for so many milliseconds */
export async function resourceLimits(bytesMax: number): Promise<(workMs: number) => string[]> {
  const [setpriv, prlimit] = ["setpriv", "prlimit"].map((name) => Bun.which(name));
  if (process.platform !== "linux" || !setpriv || !prlimit) return () => [];
  const words = (workMs: number) => [
    ...[setpriv, "--pdeathsig", "KILL", "--no-new-privs"],
    ...[
      prlimit,
      "--core=0",
      `--fsize=${fileBytes}`,
      `--nofile=${openFiles}`,
      `--cpu=${Math.ceil((workMs / 1000) * cpuPerSecond)}`,
      `--data=${bytesMax + reservedBytes}`,
      "--",
    ],
  ];
  const trial = Bun.spawn([...words(1000), prlimit, "--version"], {
    env: {},
    stdio: ["ignore", "ignore", "ignore"],
  });
  return (await trial.exited) === 0 ? words : () => [];
}
