/** The background job that rebuilds a recall index of an older analyzer. */
import type { MemoryContext } from "../context.ts";

/** The least pause between two batches, in milliseconds. */
const pauseMinMs = 5;

/**
 * Rebuilds the recall index batch by batch until it is current. After each batch it pauses for as long as the
 * batch took, so writers have the write lock at least half of the time.
 * @param isRunning false once the process shuts down
 */
export async function rebuildOutdatedIndex(
  { data, log }: Pick<MemoryContext, "data" | "log">,
  isRunning: () => boolean,
): Promise<void> {
  if ((await data.recallIndexState()).state !== "outdated") return;
  log("info", "rebuilding the recall index in the background: this version analyzes text differently");
  const startedAt = performance.now();
  for (let hasMore = true; hasMore && isRunning(); ) {
    const batchStartedAt = performance.now();
    hasMore = await data.rebuildRecallBatch();
    await Bun.sleep(Math.max(pauseMinMs, performance.now() - batchStartedAt));
  }
  if (isRunning())
    log("info", "the recall index is rebuilt", {
      seconds: Math.round((performance.now() - startedAt) / 1000),
    });
}
