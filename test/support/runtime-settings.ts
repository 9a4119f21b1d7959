/**
 * Settings of Bun for the suite, as environment variables. Its workers run many short tests, and the programs
 * that they start live for a second: both gain little from machine code of the higher tiers, nor from a
 * thread that returns free memory to the system. The long proofs run what is shipped as it is shipped.
 */
const common = { BUN_JSC_useFTLJIT: "0", MIMALLOC_PURGE_DELAY: "-1" };

/** After how many calls, or a tenth as many rounds of a loop, a function is compiled, and compiled again. */
const compileAfter = (calls: number, callsAgain: number) => ({
  BUN_JSC_thresholdForJITAfterWarmUp: `${calls}`,
  BUN_JSC_thresholdForOptimizeAfterWarmUp: `${callsAgain}`,
});

/**
 * A heap grows further before garbage is collected: about 5% of the processor time of a worker and of `svc
 * serve`, at the same memory. Compiling later than by default takes another 4% off that of a worker.
 */
const collectLess = { BUN_JSC_smallHeapGrowthFactor: "4", BUN_JSC_mediumHeapGrowthFactor: "3" };
export const workerSettings = { ...common, ...collectLess, ...compileAfter(2_000, 8_000) };

/**
 * Processor time of `svc feed` on an empty database: 65 ms by default, 42 ms as the workers run, 35 ms like
 * this; of a start of `svc serve` with one request 137, 94 and 84 ms.
 */
export const programSettings = { ...common, ...collectLess, ...compileAfter(20_000, 100_000) };
