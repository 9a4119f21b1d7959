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

export interface Allowance {
  /** Working time in milliseconds. */
  workMs: number;
  /** Memory. */
  bytesMax: number;
  /** Of the largest file that may be written. */
  fileBytes: number;
  openFiles: number;
}

/** What a child that parses a file needs, beside its time and memory. */
export const childAllowance = { fileBytes: 1 * MiB, openFiles: 64 };
/** A browser has a profile, and many processes. */
export const browserAllowance = { fileBytes: 64 * MiB, openFiles: 1024 };

/** Returns a function that makes the command prefix that sets these limits. */
export async function resourceLimits(): Promise<(allowance: Allowance) => string[]> {
  const [setpriv, prlimit] = ["setpriv", "prlimit"].map((name) => Bun.which(name));
  if (process.platform !== "linux" || !setpriv || !prlimit) return () => [];
  const words = ({ workMs, bytesMax, fileBytes, openFiles }: Allowance) => {
    const cpuSeconds = Math.ceil((workMs / 1000) * cpuPerSecond);
    return [
      ...[setpriv, "--pdeathsig", "KILL", "--no-new-privs"],
      ...[
        prlimit,
        "--core=0",
        `--fsize=${fileBytes}`,
        `--nofile=${openFiles}`,
        // A second before the hard limit comes SIGXCPU: SIGKILL would look as if another process had sent it.
        `--cpu=${cpuSeconds}:${cpuSeconds + 1}`,
        `--data=${bytesMax + reservedBytes}`,
        "--",
      ],
    ];
  };
  const trial = Bun.spawn(
    [...words({ ...childAllowance, workMs: 1000, bytesMax: 0 }), prlimit, "--version"],
    {
      env: {},
      stdio: ["ignore", "ignore", "ignore"],
    },
  );
  return (await trial.exited) === 0 ? words : () => [];
}
