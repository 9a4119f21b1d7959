/**
 * The last handler: an error that nothing else caught is logged and counted, and the process keeps serving.
 */
import type { Context } from "../src/context.ts";

export function surviveUnhandledErrors({ log, metrics }: Pick<Context, "log" | "metrics">): void {
  const report = (kind: "exception" | "rejection") => (error: unknown) => {
    metrics.unhandledErrors.of(kind).add();
    log("error", "unhandled error", {
      kind,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  };
  process.on("uncaughtException", report("exception"));
  process.on("unhandledRejection", report("rejection"));
  // A closed log is an error event: unhandled, it would be reported to the closed log again.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
