/** Tells of runs that stopped reporting, and of those whose agents wait for an answer: one event each time. */

import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { dayMicros, type Micros, minuteMicros } from "../../core/lib/time.ts";
import { issueOnly } from "../../core/task-key.ts";
import type { FeedContext } from "../context.ts";
import type { FeedReads } from "../port.ts";
import type { Appendable, RunQuery, RunRow } from "../rows.ts";
import { runUrl } from "./page-url.ts";
import { lostBefore } from "./runs.ts";

/** Runs that are told of, once their newest event is older than a time. */
interface Silence {
  /**
   * The setting that says how far they are reported: all with an older newest event, as `Micros`. It only
   * rises, so what is read is what is new; a run that reports again has a newer event, and is reported again.
   */
  setting: string;
  status: "running" | "waiting";
  before(ctx: FeedContext): Micros;
  eventOf(ctx: FeedContext, run: RunRow): Appendable;
}
/** Events in one transaction. */
const batchMax = 100;
const pageLength = 500;
/** An event has a summary of at most 1,024 characters. */
const summaryMax = 800;

/** A prompt that is answered within it is not told of. */
const waitMicros = minuteMicros;

const lost: Silence = {
  setting: "lost_runs_reported",
  status: "running",
  before: lostBefore,
  eventOf: (ctx, run) => ({
    ...eventOf(ctx, run),
    kind: "run.lost",
    dedupe_key: `svc:lost:${run.project}:${run.id}:${run.last_event_at}`, // an abandoned one is silent, too
    summary: `No event for ${timeoutText(ctx)}. Last: ${summaryOf(run)}`,
  }),
};

const waiting: Silence = {
  setting: "waiting_runs_reported",
  status: "waiting",
  before: ({ now }) => now() - waitMicros,
  eventOf: (ctx, run) => ({
    ...eventOf(ctx, run),
    kind: "run.waiting",
    // Steps from before the wait, which telemetry reports late, make its newest event newer.
    dedupe_key: `svc:waiting:${run.project}:${run.id}:${run.waiting_since}`,
  }),
};

/** Its agent is gone, and no one can answer it: the run is lost, once. */
const abandoned: Silence = {
  ...lost,
  setting: "abandoned_runs_reported",
  status: "waiting",
  before: ({ now }) => now() - dayMicros,
  eventOf: (ctx, run) => ({
    ...lost.eventOf(ctx, run),
    summary: `No answer for a day. Last: ${summaryOf(run)}`,
  }),
};

/** Writes an event `run.lost` for each run that is lost since the last call. @returns how many were written */
export const reportLostRuns = async (ctx: FeedContext): Promise<number> =>
  (await reportSilence(ctx, lost)) + (await reportSilence(ctx, abandoned));

/** Writes an event `run.waiting` for each run whose agent waits for a minute. @returns how many were written */
export const reportWaitingRuns = (ctx: FeedContext): Promise<number> => reportSilence(ctx, waiting);

/**
 * Events and setting are one transaction under the lock of all writers, so several processes write each one
 * once.
 */
async function reportSilence(ctx: FeedContext, silence: Silence): Promise<number> {
  const { data } = ctx;
  if ((await readWatermark(data, silence)) === null) return setWatermark(ctx, silence);
  let written = 0;
  // Checks first: a transaction takes the lock that all writers share.
  while (await hasUnreported(ctx, silence)) {
    written += await data.atomically(async (writes) => {
      const runs = await unreportedRuns(ctx, writes, silence);
      const last = runs.at(-1);
      if (!last) return 0;
      const { added } = await writes.append(runs.map((run) => silence.eventOf(ctx, run)));
      await writes.setSetting(silence.setting, String(last.last_event_at));
      return added.length;
    });
  }
  return written;
}

async function readWatermark(reads: FeedReads, { setting }: Silence): Promise<Micros | null> {
  const value = await reads.setting(setting);
  return value === null ? null : Number(value);
}

/** What was silent before the first call is history. */
async function setWatermark(ctx: FeedContext, silence: Silence): Promise<number> {
  await ctx.data.atomically(async (writes) => {
    if ((await readWatermark(writes, silence)) === null)
      await writes.setSetting(silence.setting, String(silence.before(ctx)));
  });
  return 0;
}

const unreportedQuery = (
  ctx: FeedContext,
  { status, before }: Silence,
  watermark: Micros | null,
): Omit<RunQuery, "limit"> => ({
  status,
  eventAfter: watermark ?? 0,
  eventBefore: before(ctx),
});

async function hasUnreported(ctx: FeedContext, silence: Silence): Promise<boolean> {
  const query = unreportedQuery(ctx, silence, await readWatermark(ctx.data, silence));
  const { runs, next } = await ctx.data.runs(null, { ...query, limit: 1 });
  return runs.length > 0 || next !== null;
}

/** The runs that fell silent first. They are listed in another order, so all are read. */
async function unreportedRuns(ctx: FeedContext, reads: FeedReads, silence: Silence): Promise<RunRow[]> {
  const query = unreportedQuery(ctx, silence, await readWatermark(reads, silence));
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
function eventOf({ config }: Pick<FeedContext, "config">, run: RunRow): Omit<Appendable, "kind"> {
  const { id, project, actor, issue, pr, lane, rule_key } = run;
  const task = issue !== null && issue < 0 ? run.task : null;
  return {
    actor,
    project,
    issue: issueOnly(issue),
    task,
    pr,
    lane,
    summary: summaryOf(run),
    ...(rule_key === null && { run_id: id }),
    url: `${config.siteUrl}${runUrl(run)}`,
  };
}

const summaryOf = ({ summary }: RunRow): string => isolateBidi(summary.slice(0, summaryMax).toWellFormed());

function timeoutText({ config }: Pick<FeedContext, "config">): string {
  const minutes = Math.round(config.runTimeoutSeconds / 60);
  return minutes > 0 ? `${minutes} min` : `${config.runTimeoutSeconds} s`;
}
