/** Tells of runs that stopped reporting: one event for each time that a run is lost. */

import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { Micros } from "../../core/lib/time.ts";
import type { FeedContext } from "../context.ts";
import type { FeedReads } from "../port.ts";
import type { Appendable, RunQuery, RunRow } from "../rows.ts";
import { runUrl } from "./page-url.ts";
import { lostBefore } from "./runs.ts";

/**
 * The setting that says how far lost runs are reported: all with an older newest event, as `Micros`. It only
 * rises, so what is read is what is new; a run that reports again has a newer event, and is reported again.
 */
const watermarkSetting = "lost_runs_reported";
/** Events in one transaction. */
const batchMax = 100;
const pageLength = 500;
/** An event has a summary of at most 1,024 characters. */
const summaryMax = 800;

/**
 * Writes an event `run.lost` for each run that is lost since the last call. Events and setting are one
 * transaction under the lock of all writers, so several processes write each one once.
 * @returns how many were written
 */
export async function reportLostRuns(ctx: FeedContext): Promise<number> {
  const { data } = ctx;
  if ((await readWatermark(data)) === null) return setWatermark(ctx);
  let written = 0;
  // Checks first: a transaction takes the lock that all writers share.
  while (await hasUnreported(ctx)) {
    written += await data.atomically(async (writes) => {
      const runs = await unreportedRuns(ctx, writes);
      const last = runs.at(-1);
      if (!last) return 0;
      await writes.append(runs.map((run) => lostEvent(ctx, run)));
      await writes.setSetting(watermarkSetting, String(last.last_event_at));
      return runs.length;
    });
  }
  return written;
}

async function readWatermark(reads: FeedReads): Promise<Micros | null> {
  const value = await reads.setting(watermarkSetting);
  return value === null ? null : Number(value);
}

/** Runs that were lost before the first call are history. */
async function setWatermark(ctx: FeedContext): Promise<number> {
  await ctx.data.atomically(async (writes) => {
    if ((await readWatermark(writes)) === null)
      await writes.setSetting(watermarkSetting, String(lostBefore(ctx)));
  });
  return 0;
}

const unreportedQuery = (ctx: FeedContext, watermark: Micros | null): Omit<RunQuery, "limit"> => ({
  status: "running",
  eventAfter: watermark ?? 0,
  eventBefore: lostBefore(ctx),
});

async function hasUnreported(ctx: FeedContext): Promise<boolean> {
  const query = unreportedQuery(ctx, await readWatermark(ctx.data));
  const { runs, next } = await ctx.data.runs(null, { ...query, limit: 1 });
  return runs.length > 0 || next !== null;
}

/** The runs that were lost first. They are listed in another order, so all are read. */
async function unreportedRuns(ctx: FeedContext, reads: FeedReads): Promise<RunRow[]> {
  const query = unreportedQuery(ctx, await readWatermark(reads));
  const found: RunRow[] = [];
  for (let before: Micros | null | undefined; before !== null; ) {
    const page = await reads.runs(null, {
      ...query,
      limit: pageLength,
      ...(before !== undefined && { before }),
    });
    found.push(...page.runs);
    before = page.next;
  }
  return found.toSorted((a, b) => a.last_event_at - b.last_event_at).slice(0, batchMax);
}

/** Its actor is that of the run, so that filters by actor find it. */
function lostEvent({ config }: Pick<FeedContext, "config">, run: RunRow): Appendable {
  const { id, project, actor, issue, pr, lane, summary, rule_key } = run;
  const minutes = Math.round(config.runTimeoutSeconds / 60);
  const silence = minutes > 0 ? `${minutes} min` : `${config.runTimeoutSeconds} s`;
  return {
    kind: "run.lost",
    actor,
    project,
    issue,
    pr,
    lane,
    summary: `No event for ${silence}. Last: ${isolateBidi(summary.slice(0, summaryMax).toWellFormed())}`,
    ...(rule_key === null && { run_id: id }),
    url: `${config.siteUrl}${runUrl(run)}`,
  };
}
