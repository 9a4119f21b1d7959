/** The inbox of a person: what they should act on or know, without what they marked as done or snoozed. */
import type { Caller } from "../auth/caller.ts";
import { readerOf } from "../auth/reader.ts";
import type { Context } from "../context.ts";
import { Cache, perObject } from "../lib/cache.ts";
import { fromMicros } from "../lib/time.ts";
import { countMax } from "../today/schema.ts";
import type { Candidate, Source } from "./candidate.ts";
import type { InboxMark } from "./port.ts";
import { type Inbox, type InboxItem, reasons } from "./schema.ts";
import { pausedWebhooks, reachedBudgets } from "./sources/notices.ts";
import { pendingReviews, rejections } from "./sources/reviews.ts";
import { failedRuns, lostRuns } from "./sources/runs.ts";

const sources: readonly Source[] = [
  pendingReviews,
  rejections,
  failedRuns,
  lostRuns,
  reachedBudgets,
  pausedWebhooks,
];

/** What the caller should act on or know, newest first. It marks nothing. */
export async function loadInbox(ctx: Context, caller: Caller): Promise<Inbox> {
  const reader = readerOf(caller);
  const candidates = (await Promise.all(sources.map((source) => source(ctx, caller)))).flat();
  const ids = candidates.map(({ id }) => id);
  const marks = reader === null ? [] : await ctx.data.inboxMarks(reader, ids);
  const markOf = new Map(marks.map((mark) => [mark.item, mark]));
  const now = ctx.now();
  const shown: Candidate[] = [];
  let snoozed = 0;
  for (const candidate of candidates) {
    const mark = markOf.get(candidate.id);
    if (!mark || mark.at < candidate.at) shown.push(candidate);
    else if (isOver(mark, now)) shown.push({ ...candidate, at: mark.until });
    else if (mark.until !== null) snoozed++;
  }
  const items = shown.sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1)).slice(0, countMax);
  return {
    count: items.length,
    items: items.map((item) => render(ctx, item)),
    snoozed: Math.min(snoozed, countMax),
  };
}

/** Whether it is a snooze that has ended. */
const isOver = (mark: InboxMark, now: number): mark is InboxMark & { until: number } =>
  mark.until !== null && mark.until <= now;

const render = ({ config }: Context, { path, at, ...item }: Candidate): InboxItem => ({
  ...item,
  action: reasons[item.reason].action,
  url: config.siteUrl + path,
  at: fromMicros(at),
});

/** A count that was made while the feed had this version. */
interface CachedCount {
  count: number;
  version: number;
  madeAt: number;
}

/** Without a new event a count can change only by time, such as when a snooze ends. */
const unchangedMs = 15_000;
/** After a new event, the count of a page may be this old. Scripts update it. */
const changedMs = 1_000;

const countsOf = perObject((_data: Context["data"]) => new Cache<string, CachedCount>({ max: 1_000 }));

/** The count for the navigation of every page: at most a few seconds old. */
export async function countInbox(ctx: Context, caller: Caller): Promise<number> {
  const counts = countsOf(ctx.data);
  const key = JSON.stringify([readerOf(caller), caller.projects, [...caller.scopes]]);
  const cached = counts.get(key);
  const { version } = ctx.feedNotifier;
  const age = cached ? performance.now() - cached.madeAt : Number.POSITIVE_INFINITY;
  if (cached && age < (cached.version === version ? unchangedMs : changedMs)) return cached.count;
  const madeAt = performance.now();
  const { count } = await loadInbox(ctx, caller);
  counts.set(key, { count, version, madeAt }, counts.generation);
  return count;
}

/** Clears the counts after an item was marked. */
export const forgetCounts = ({ data }: Context): void => countsOf(data).clear();
