/**
 * The executable starts with a JIT policy that compiles little to machine code (cli/build/build.ts): for a
 * command that ends soon, that is the faster one. What works for longer needs the usual policy.
 */
const startMs = 1_000;

/** For a program that works from its start. */
export const useUsualJit = (): void => Bun.unsafe.setJITPolicy(1);

let timer: Timer | undefined;

/** For a command that may end before, as `svc brief` does. */
export function useUsualJitSoon(): void {
  timer = setTimeout(useUsualJit, startMs);
  timer.unref();
}

/**
 * CPU that a server takes before, in milliseconds. With the usual policy, compiling takes half of the CPU of
 * a first page (`bun run bench page-times`); without it, telemetry takes a third more (`bun run bench
 * telemetry`).
 */
const startCpuMs = 500;
const lookMs = 100;

/** For a server, which may wait for its first request for hours. @returns to be called at each request */
export function useUsualJitOnceBusy(): () => void {
  clearTimeout(timer);
  let [before, isWatching] = [cpuMs(), false];
  const mostMs = before + startCpuMs;
  function look(): void {
    const now = cpuMs();
    if (now >= mostMs) useUsualJit();
    else if (now - before > lookMs / 4) watch();
    else isWatching = false;
    before = now;
  }
  const watch = () => void setTimeout(look, lookMs).unref();
  return () => {
    if (isWatching) return;
    isWatching = true;
    watch();
  };
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** JavaScriptCore reads its options from the environment when it starts. This one is 64,000 by default. */
const [optionName, threshold] = ["BUN_JSC_thresholdForFTLOptimizeAfterWarmUp", "640000"] as const;

/**
 * Starts the executable again, as the same process, to compile fewer functions with the last JIT compiler
 * (FTL): what it compiles for an upload pays off after some 10,000, and until then takes a tenth of their CPU
 * (`bun run bench uploads`). Without it, telemetry would take a fifth more (`bun run bench telemetry`).
 */
export function restartWithLateCompiler(): void {
  if (!Bun.isStandaloneExecutable || process.env[optionName] !== undefined) return;
  const { argv, argv0, env, execPath } = process;
  try {
    process.execve?.(execPath, [argv0, ...argv.slice(2)], { ...env, [optionName]: threshold });
  } catch {
    // Windows cannot, and an executable that was just replaced is gone.
  }
}
