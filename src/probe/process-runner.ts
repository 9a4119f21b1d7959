/**
 * Runs the programs of the room: each in a folder that is given, fenced in, watched, and gone when it
 * returns.
 */
import type { JobKind } from "./child.ts";
import { type Limits, limits } from "./limits.ts";
import { resourceLimits } from "./resource-limits.ts";
import { SandboxedProcess } from "./sandboxed-process.ts";
import { deleteStaleFolders } from "./temp-folder.ts";

export type Log = (level: "warn", message: string, fields: Record<string, unknown>) => void;

export interface RunningProgram {
  program: SandboxedProcess;
  /** It is gone when this resolves; the log says what was wrong. */
  end(isSilent: boolean): Promise<void>;
}

/** Null where the program cannot be started; the log says why. */
export type Start = (words: string[], folder: string, work: JobKind) => Promise<RunningProgram | null>;

/**
 * Null where the program cannot be started, or `use` made nothing of it; the log says why. Throws what `use`
 * throws.
 */
export type Run = <T>(
  words: string[],
  folder: string,
  work: JobKind,
  use: (program: SandboxedProcess) => Promise<T | null>,
) => Promise<T | null>;

export function openRunner(
  log: Log,
  { childBytes, childMs, bundleMs, sourceMs }: Limits,
): { start: Start; run: Run } {
  let limitsReady: ReturnType<typeof resourceLimits> | undefined;

  const start: Start = async (words, folder, work) => {
    limitsReady ??= deleteStaleFolders().then(() => resourceLimits(childBytes));
    const limitsCommand = await limitsReady;
    const isUnpacking = work === "unbundle";
    const times = {
      workMs: isUnpacking ? bundleMs : childMs,
      totalMs: isUnpacking ? Number.POSITIVE_INFINITY : sourceMs,
    };
    let program: SandboxedProcess;
    try {
      program = new SandboxedProcess([...limitsCommand(times.workMs), ...words], {
        folder,
        ...times,
        bytesMax: childBytes,
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

/** Nobody killed it, and yet it has nothing to say. */
const silenceReason = ({ exitCode }: SandboxedProcess): string =>
  exitCode ? `exited with code ${exitCode}` : "sent an invalid message";
