/** The inbox of a person: what they should act on or know, without what they marked as done or snoozed. */
import type { Caller } from "../../core/auth/caller.ts";
import { readerOf } from "../../core/auth/reader.ts";
import { boundedByCount, Cache, perObject } from "../../core/lib/cache.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { countMax } from "../../library/review-queue/count-max.ts";
import type { OverviewContext } from "../context.ts";
import type { InboxMark } from "../rows.ts";
import type { Candidate, Source } from "./candidate.ts";
import { fit } from "./fold.ts";
import { type Inbox, type InboxItem, reasons } from "./schema.ts";
import { pausedWebhooks, reachedBudgets } from "./sources/notices.ts";
import { foldTitle, pendingReviews } from "./sources/pending-reviews.ts";
import { rejections } from "./sources/rejections.ts";
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
export async function loadInbox(ctx: OverviewContext, caller: Caller): Promise<Inbox> {
  const reader = readerOf(caller);
  const candidates = (await Promise.all(sources.map((source) => source(ctx, caller)))).flat();
  const ids = candidates.map(({ id }) => id);
  const marks = reader === null ? [] : await ctx.data.inboxMarks(reader, ids);
  const markOf = new Map(marks.map((mark) => [mark.item, mark]));
  const now = ctx.now();
  const isHidden = ({ id, at }: Candidate) => {
    const mark = markOf.get(id);
    return mark !== undefined && mark.at >= at && !isOver(mark, now);
  };
  const single = candidates.filter(({ folds }) => folds === undefined);
  const [hidden, shown] = [single.filter(isHidden), single.filter((one) => !isHidden(one))];
  const snoozed = hidden.filter(({ id }) => markOf.get(id)?.until !== null).length;
  const folding = candidates.filter(({ folds }) => folds !== undefined);
  const { items, count } = fit(
    shown.map((candidate) => afterSnooze(candidate, markOf.get(candidate.id))),
    hidden,
    folding,
    isHidden,
  );
  return {
    count,
    items: items.map((item) => render(ctx, item)),
    snoozed: Math.min(snoozed, countMax),
  };
}

/** A snooze that has ended brings an item back on top. */
const afterSnooze = (candidate: Candidate, mark: InboxMark | undefined): Candidate =>
  mark && mark.until !== null && mark.at >= candidate.at ? { ...candidate, at: mark.until } : candidate;

/** Whether it is a snooze that has ended. */
const isOver = ({ until }: InboxMark, now: number): boolean => until !== null && until <= now;

const render = (
  { config }: OverviewContext,
  { path, at, isGroup: _, canFold: __, folds, ...item }: Candidate,
): InboxItem => ({
  ...item,
  title: folds === undefined ? item.title : foldTitle(folds),
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

const countsOf = perObject(
  (_data: OverviewContext["data"]) => new Cache<string, CachedCount>({ max: 1_000, bytesOf: boundedByCount }),
);

/** The count for the navigation of every page: at most a few seconds old. */
export async function countInbox(ctx: OverviewContext, caller: Caller): Promise<number> {
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
export const forgetCounts = ({ data }: OverviewContext): void => countsOf(data).clear();
