/**
 * The seed of property tests and of fuzzing. In the suite it is the same in every run, so that a change fails
 * by what it changed; `bun run test:faults` draws a new one and prints it. Loaded before every test file.
 */
import fc from "fast-check";

export const seed = Number(process.env.SVC_TEST_SEED ?? 20261120);

fc.configureGlobal({ seed });
