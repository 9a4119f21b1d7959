/**
 * What needs a person, without what they marked as done or snoozed: the one list and count of the inbox,
 * Today, the badge, emails, `svc today`, and `svc top`.
 */
import type { Caller } from "../../core/auth/caller.ts";
import { readerOf } from "../../core/auth/reader.ts";
import { boundedByCount, Cache, perObject } from "../../core/lib/cache.ts";
import { fromMicros, type Micros } from "../../core/lib/time.ts";
import { countMax } from "../../library/review-queue/review-queue.ts";
import type { OverviewContext } from "../context.ts";
import type { InboxMark } from "../rows.ts";
import { type Candidate, type Source, windowMicros } from "./candidate.ts";
import { fit } from "./fold.ts";
import { type Group, type Inbox, type InboxItem, reasons } from "./schema.ts";
import { type Broken, brokenItems, loadBroken } from "./sources/broken.ts";
import { pausedWebhooks, reachedBudgets } from "./sources/notices.ts";
import { foldTitle, pendingReviews } from "./sources/pending-reviews.ts";
import { rejections } from "./sources/rejections.ts";

const sources: readonly Source[] = [pendingReviews, rejections, reachedBudgets, pausedWebhooks];

/** What the caller should act on or know, in the order of the list. It marks nothing. */
export const loadInbox = async (ctx: OverviewContext, caller: Caller): Promise<Inbox> =>
  (await compileInbox(ctx, caller)).inbox;

/**
 * The inbox, and the failures and lost runs that it is made from.
 * @param since these are read from then on, if it is earlier than the 30 days of the inbox
 */
export async function compileInbox(
  ctx: OverviewContext,
  caller: Caller,
  since: Micros = ctx.now(),
): Promise<{ inbox: Inbox; broken: Broken }> {
  const reader = readerOf(caller);
  const [broken, ...found] = await Promise.all([
    loadBroken(ctx, caller.projects, Math.min(since, ctx.now() - windowMicros)),
    ...sources.map((source) => source(ctx, caller)),
  ]);
  const candidates = [...found.flat(), ...brokenItems(ctx, broken)];
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
  const items = fit(
    shown.map((candidate) => afterSnooze(candidate, markOf.get(candidate.id))),
    hidden,
    folding,
    isHidden,
  );
  const count = (of: readonly Candidate[]) =>
    Math.min(
      countMax,
      of.reduce((sum, { folds = 1 }) => sum + folds, 0),
    );
  const countOf = (group: Group) => count(items.filter(({ reason }) => reasons[reason].group === group));
  const inbox = {
    count: count(items),
    counts: { requested: countOf("requested"), waiting: countOf("waiting"), broken: countOf("broken") },
    items: items.map((item) => render(ctx, item)),
    snoozed: Math.min(snoozed, countMax),
    repaired: broken.repaired,
  };
  return { inbox, broken };
}

/** A snooze that has ended brings an item back on top. */
const afterSnooze = (candidate: Candidate, mark: InboxMark | undefined): Candidate =>
  mark && mark.until !== null && mark.at >= candidate.at ? { ...candidate, at: mark.until } : candidate;

/** Whether it is a snooze that has ended. */
const isOver = ({ until }: InboxMark, now: number): boolean => until !== null && until <= now;

const render = (
  { config }: OverviewContext,
  { id, reason, title, detail, path, project, at, due = null, times = 1, folds }: Candidate,
): InboxItem => ({
  id,
  reason,
  group: reasons[reason].group,
  title: folds === undefined ? title : foldTitle(folds),
  detail,
  action: reasons[reason].action,
  url: config.siteUrl + path,
  project,
  at: fromMicros(at),
  due_at: due === null ? null : fromMicros(due),
  times,
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
