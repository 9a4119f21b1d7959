/**
 * Runs child processes and helper programs in a sandbox: in a given folder, with resource limits, and ended
 * before `run` returns.
 */

import { type Limits, limits } from "../limits.ts";
import type { JobKind } from "./child.ts";
import { browserAllowance, childAllowance, resourceLimits } from "./resource-limits.ts";
import { SandboxedProcess } from "./sandboxed-process.ts";
import { deleteStaleFolders } from "./temp-folder.ts";

export type Log = (level: "warn", message: string, fields: Record<string, unknown>) => void;

/** A job of a child, or of a helper: `page` of a browser, `signature` of c2patool, `remux` and `waveform` of ffmpeg. */
export type Work = JobKind | "still" | "page" | "signature" | "remux" | "waveform";

export interface RunningProgram {
  program: SandboxedProcess;
  /** Ends the program, and logs why it failed. `isSilent`: it returned no result. */
  end(isSilent: boolean): Promise<void>;
}

/** Null if the program cannot be started, which is logged. */
export type Start = (words: string[], folder: string, work: Work) => Promise<RunningProgram | null>;

/**
 * Returns the result of `use`; null, with a log line, if the program cannot be started or `use` returns null.
 * Throws what `use` throws.
 */
export type Run = <T>(
  words: string[],
  folder: string,
  work: Work,
  use: (program: SandboxedProcess) => Promise<T | null>,
) => Promise<T | null>;

export interface ImageTools {
  run: Run;
  /** Command of the child process. */
  command: string[];
  /** Folders to search for helpers; undefined: PATH. */
  path: string | undefined;
  bounds: Limits;
  log: Log;
}

/**
 * What the JIT compiler reserves by default does not fit into the memory limit. Without it, loops over pixels
 * and samples take seven times as long. Parsers of hostile files do without.
 */
const jitReservation = { BUN_JSC_jitMemoryReservationSize: String(64 * 2 ** 20) };

const pixelLoops: ReadonlySet<Work> = new Set(["annotate", "compare", "match", "timeline"]);
/** Work on an image that may be large. */
const imageWork: ReadonlySet<Work> = new Set(["annotate", "compare", "match", "thumbnail"]);

/**
 * A comparison ends before code of the last compiler (FTL) has paid off, which alone takes half of the
 * processor time of a pair.
 */
const withoutLastCompiler = { BUN_JSC_useFTLJIT: "0" };

function environmentOf(work: Work, folder: string): Record<string, string> {
  if (work === "page") return { HOME: folder, TMPDIR: folder, PATH: "/usr/bin:/bin" };
  if (work === "match") return { ...jitReservation, ...withoutLastCompiler };
  return pixelLoops.has(work) ? jitReservation : {};
}

export function openRunner(
  log: Log,
  { childBytes, childMs, bundleMs, sourceMs }: Limits,
): { start: Start; run: Run } {
  let limitsReady: ReturnType<typeof resourceLimits> | undefined;
  /** No upload waits for a timeline or a comparison, which may read large files. */
  const workingTimes: Partial<Record<Work, number>> = {
    unbundle: bundleMs,
    timeline: sourceMs,
    compare: sourceMs,
    match: limits.matchMs,
    remux: sourceMs,
    waveform: sourceMs,
    page: limits.browserMs,
  };

  const start: Start = async (words, folder, work) => {
    limitsReady ??= deleteStaleFolders().then(resourceLimits);
    const limitsCommand = await limitsReady;
    const workMs = workingTimes[work] ?? childMs;
    const times = { workMs, totalMs: work === "unbundle" ? Number.POSITIVE_INFINITY : sourceMs };
    const bytesMax = childBytes * (imageWork.has(work) ? limits.largeImageFactor : 1);
    let program: SandboxedProcess;
    try {
      const allowance =
        work === "page"
          ? { ...browserAllowance, workMs, bytesMax: limits.browserBytes }
          : {
              ...childAllowance,
              ...(work === "remux" && { fileBytes: limits.copyBytes }),
              workMs,
              bytesMax,
            };
      program = new SandboxedProcess([...limitsCommand(allowance), ...words], {
        folder,
        env: environmentOf(work, folder),
        ...times,
        bytesMax,
        memoryCheckMs: limits.watchMs,
      });
    } catch (error) {
      log("warn", "a child process could not be started", { work, error: (error as Error).message });
      return null;
    }
    return {
      program,
      async end(isSilent) {
        const reason = program.failureReason ?? (isSilent ? silenceReason(program) : null);
        if (reason) log("warn", "a child process failed", { work, program: words[0], reason });
        await program.stop();
      },
    };
  };

  return {
    start,
    async run(words, folder, work, use) {
      const running = await start(words, folder, work);
      if (!running) return null;
      let isSilent = false;
      try {
        const result = await use(running.program);
        isSilent = result === null;
        return result;
      } finally {
        await running.end(isSilent);
      }
    },
  };
}

/** Why a program that was not killed returned no result. */
const silenceReason = ({ exitCode }: SandboxedProcess): string =>
  exitCode ? `exited with code ${exitCode}` : "sent an invalid message";
