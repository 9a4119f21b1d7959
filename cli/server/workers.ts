/**
 * Background jobs of a server: cleanup, comparisons of versions, reminders of reviews, lost runs, the recall
 * index, the outbox of comments for forges, and webhooks. Leader election assigns each job to one process of
 * the deployment; webhooks are shared by all.
 */
import type { Context } from "../../src/api/context.ts";
import { retentions, trimRows } from "../../src/api/retention.ts";
import { unlessAborted } from "../../src/core/lib/until-aborted.ts";
import { reportLostRuns, reportWaitingRuns } from "../../src/feed/runs/lost-runs.ts";
import { ownershipWarning } from "../../src/files/stores/owned-store.ts";
import type { Owner } from "../../src/files/stores/store.ts";
import { sendDueDigests } from "../../src/integrations/email/deliver.ts";
import { deliverOutbox } from "../../src/integrations/outbox/outbox.ts";
import { startDelivery } from "../../src/integrations/webhooks/delivery/delivery.ts";
import { makeManifests } from "../../src/library/assets/bundles/maintenance.ts";
import { cleanUpAssets } from "../../src/library/assets/cleanup/retention.ts";
import { compareUploads } from "../../src/library/comparisons/compare.ts";
import { finishRemovals } from "../../src/library/removals/finish.ts";
import { fingerprintStored } from "../../src/library/repeats/fingerprint.ts";
import { remindOfReviews } from "../../src/library/review-requests/reminders.ts";
import { rebuildOutdatedIndex } from "../../src/memory/recall/rebuild-outdated.ts";

const sweepEveryMs = 600_000;
const outboxEveryMs = 1_000;
const digestsEveryMs = 30_000;
const removalsEveryMs = 10_000;
const remindersEveryMs = 5_000;
const lostRunsEveryMs = 5_000;
const comparisonsEveryMs = 1_000;
const fingerprintsEveryMs = 10_000;
const indexCheckEveryMs = 60_000;
/** How often a process checks whether it leads a job. */
const leaderCheckEveryMs = 1_000;
/** How often a process reads the owner of its stores. */
const ownerCheckEveryMs = 60_000;
const loopEveryMs = 250;

/**
 * Starts the background jobs.
 *
 * @returns stops them, and resolves when the running ones have finished
 */
export function startWorkers(ctx: Context): () => Promise<void> {
  watchLoop(ctx);
  if (ctx.config.mock) return async () => {};
  const workers = [
    watchStores(ctx),
    repeat("sweep of files", sweepEveryMs, ctx, () => cleanUpAssets(ctx)),
    repeat("removals", removalsEveryMs, ctx, () => finishRemovals(ctx)),
    repeat("bundle manifests", sweepEveryMs, ctx, (isRunning) => makeManifests(ctx, isRunning)),
    ...Object.entries(retentions).map(([name, retention]) =>
      repeat(name, sweepEveryMs, ctx, () => trimRows(ctx, retention)),
    ),
    repeat("comparisons of versions", comparisonsEveryMs, ctx, (isRunning) => compareUploads(ctx, isRunning)),
    repeat("fingerprints", fingerprintsEveryMs, ctx, (isRunning) => fingerprintStored(ctx, isRunning)),
    repeat("review reminders", remindersEveryMs, ctx, () => remindOfReviews(ctx)),
    repeat("lost runs", lostRunsEveryMs, ctx, () => reportLostRuns(ctx)),
    repeat("waiting runs", lostRunsEveryMs, ctx, () => reportWaitingRuns(ctx)),
    repeat("recall index", indexCheckEveryMs, ctx, (isRunning) => rebuildOutdatedIndex(ctx, isRunning)),
  ];
  if (Object.values(ctx.config.forgeApis).some(({ token }) => token))
    workers.push(repeat("outbox", outboxEveryMs, ctx, () => deliverOutbox(ctx)));
  if (ctx.config.smtpUrl)
    workers.push(repeat("email digests", digestsEveryMs, ctx, (isRunning) => sendDueDigests(ctx, isRunning)));
  const delivery = startDelivery(ctx);
  workers.push(() => delivery.stop());
  return async () => void (await Promise.all(workers.map((stop) => stop())));
}

/**
 * Runs a job immediately, and again `everyMs` after each run ends, while this process leads it. A failed run
 * is logged and counted; the next run is the retry.
 */
function repeat(
  name: string,
  everyMs: number,
  { data, log, metrics }: Context,
  work: (isRunning: () => boolean) => Promise<unknown>,
): () => Promise<void> {
  const leaderGauge = metrics.leads.of(name);
  let doneAt = Number.NEGATIVE_INFINITY;
  const runOnce = async (isRunning: () => boolean) => {
    try {
      await work(isRunning);
      metrics.workerRuns.of(name, "done").add();
    } catch (error) {
      metrics.workerRuns.of(name, "failed").add();
      log("warn", `${name} failed`, { error: (error as Error).message });
    }
    doneAt = performance.now();
  };
  return loop(Math.min(everyMs, leaderCheckEveryMs), async (isRunning) => {
    const isLeader = data.isLeader(name);
    leaderGauge.set(isLeader ? 1 : 0);
    if (isLeader && performance.now() - doneAt >= everyMs) await runOnce(isRunning);
  });
}

/**
 * Runs `work` and waits, repeatedly.
 *
 * @returns stops the loop, and resolves when the current run has finished
 */
function loop(waitMs: number, work: (isRunning: () => boolean) => Promise<void>): () => Promise<void> {
  const stop = new AbortController();
  const run = async () => {
    while (!stop.signal.aborted) {
      await work(() => !stop.signal.aborted);
      await unlessAborted(Bun.sleep(waitMs), stop.signal);
    }
  };
  const running = run();
  return () => {
    stop.abort();
    return running;
  };
}

/** Logs when a store turns out to belong to another deployment, and when it belongs to this one again. */
function watchStores({ store, publicStore, log }: Context): () => Promise<void> {
  const stores = { asset: store, public: publicStore };
  const lastOwners = new Map<string, Owner>();
  return loop(ownerCheckEveryMs, async () => {
    for (const [name, store] of Object.entries(stores)) {
      // an unreachable store is reported by the requests that need it
      const owner = await store?.owner().catch(() => null);
      if (!owner || owner === (lastOwners.get(name) ?? "this")) continue;
      lastOwners.set(name, owner);
      const why = ownershipWarning(owner);
      if (why === null) log("info", `the ${name} store belongs to this deployment again`);
      else log("warn", `the ${name} store is not this deployment's own: ${why}`);
    }
  });
}

/** Measures event loop delay: how late a timer fires. */
function watchLoop({ metrics }: Context): void {
  const delay = metrics.loopDelay.of();
  let due = performance.now() + loopEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    delay.observe(Math.max(0, now - due) / 1000);
    due = now + loopEveryMs;
  }, loopEveryMs);
  timer.unref();
}
