/**
 * The executable starts with a JIT policy that compiles little to machine code (cli/build/build.ts): for a
 * command that ends soon, that is the faster one. What works for longer needs the usual policy.
 */
const startMs = 1_000;

/** For a program that works from its start. */
export const useUsualJit = (): void => Bun.unsafe.setJITPolicy(1);

/** For a command that may end before, as `svc brief` does, or serve for months. */
export const useUsualJitSoon = (): void => void setTimeout(useUsualJit, startMs).unref();
