import type { Context } from "../../src/api/context.ts";

/** Installs the handlers for uncaught exceptions and unhandled rejections. */
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
  // Writing to a closed stream emits an error event. Logging that error would emit it again, endlessly.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
}
