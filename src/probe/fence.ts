/**
 * What the kernel enforces where it can, in front of a command: a ceiling on memory between two looks of ours, an end of
 * CPU time, no core dump, and death with the parent. Empty where the programs for it are missing.
 */

const MiB = 2 ** 20;
/** JavaScriptCore sets aside this much before it does anything. */
const reservedBytes = 256 * MiB;
/** A busy machine gives a child little of a second; this much of the processor is work in any case. */
const cpuSeconds = 10;
const fileBytes = 1 * MiB;
const openFiles = 64;

export async function fence(bytesMax: number): Promise<string[]> {
  const [setpriv, prlimit] = ["setpriv", "prlimit"].map((name) => Bun.which(name));
  if (process.platform !== "linux" || !setpriv || !prlimit) return [];
  const words = [
    ...[setpriv, "--pdeathsig", "KILL", "--no-new-privs"],
    ...[
      prlimit,
      "--core=0",
      `--fsize=${fileBytes}`,
      `--nofile=${openFiles}`,
      `--cpu=${cpuSeconds}`,
      `--data=${bytesMax + reservedBytes}`,
      "--",
    ],
  ];
  const trial = Bun.spawn([...words, prlimit, "--version"], { env: {}, stdio: ["ignore", "ignore", "ignore"] });
  return (await trial.exited) === 0 ? words : [];
}
