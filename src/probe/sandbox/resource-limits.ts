/**
 * Resource limits that the kernel enforces on a command, by setpriv and prlimit: memory (between two checks
 * of our own), CPU time, no core dump, and death with the parent. None where these programs are missing.
 */

const MiB = 2 ** 20;
/** JavaScriptCore reserves this much at startup. */
const reservedBytes = 256 * MiB;
/**
 * CPU limit per second of working time: CPU time of all threads adds up, and the parent's timer should fire
 * first.
 */
const cpuPerSecond = 2;
const fileBytes = 1 * MiB;
const openFiles = 64;

/** Returns a function from the working time in milliseconds to the command prefix that sets the limits. */
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
