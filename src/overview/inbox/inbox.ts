/**
 * What needs a person, without what they marked as done or snoozed: the one list and count of the inbox,
 * Today, the badge, emails, `svc today`, and `svc top`.
 */

import type { Caller } from "../../core/auth/caller.ts";
import { readerOf } from "../../core/auth/reader.ts";
import { boundedByCount, Cache, perObject } from "../../core/lib/cache.ts";
import { fromMicros, type Micros } from "../../core/lib/time.ts";
import { issueOnly } from "../../core/task-key.ts";
import { assetUrls } from "../../library/assets/rendered-asset.ts";
import { countMax } from "../../library/review-queue/items.ts";
import type { OverviewContext } from "../context.ts";
import type { InboxMark } from "../rows.ts";
import { type Broken, type Candidate, type Source, windowMicros } from "./candidate.ts";
import { fit } from "./fold.ts";
import {
  type Group,
  groupNames,
  type Inbox,
  type InboxItem,
  type InboxQuery,
  needsPerson,
  reasons,
} from "./schema.ts";
import { answers } from "./sources/answers.ts";
import { brokenWork, loadBroken } from "./sources/broken.ts";
import { endedDecisions } from "./sources/ended-decisions.ts";
import { goneFiles } from "./sources/gone-files.ts";
import { pausedWebhooks, reachedBudgets } from "./sources/notices.ts";
import { foldTitle, pendingReviews } from "./sources/pending-reviews.ts";
import { proposals } from "./sources/proposals.ts";
import { rejections } from "./sources/rejections.ts";
import { waitingRuns } from "./sources/waiting-runs.ts";

const sources: readonly Source[] = [
  waitingRuns,
  ...[pendingReviews, rejections, reachedBudgets, pausedWebhooks, brokenWork],
  ...[proposals, endedDecisions, goneFiles, answers],
];

/** What the caller should act on or know, in the order of the list. It marks nothing. */
export const loadInbox = async (ctx: OverviewContext, query: InboxQuery, caller: Caller): Promise<Inbox> =>
  (await compileInbox(ctx, caller, query)).inbox;

interface Compiled {
  inbox: Inbox;
  /** The failures and lost runs that it is made from. */
  broken: Broken;
  /** The ids of all that could be marked, marked or not. */
  known: ReadonlySet<string>;
  /** How many items there are, of which `inbox` may have fewer. */
  listed: number;
}

export interface CompiledQuery extends InboxQuery {
  /** Failures and lost runs are read from then on, if it is earlier than their 30 days. */
  since?: Micros;
  /** The first items alone; all by default. */
  itemsMax?: number | undefined;
}

export async function compileInbox(
  ctx: OverviewContext,
  caller: Caller,
  { since = ctx.now(), view = "open", itemsMax }: CompiledQuery = {},
): Promise<Compiled> {
  const reader = readerOf(caller);
  const loading = loadBroken(ctx, caller.projects, Math.min(since, ctx.now() - windowMicros));
  const [broken, ...found] = await Promise.all([
    loading,
    ...sources.map((source) => source(ctx, caller, loading)),
  ]);
  const candidates = found.flat();
  const ids = candidates.map(({ id }) => id);
  const marks = reader === null ? [] : await ctx.data.inboxMarks(reader, ids);
  const markOf = new Map(marks.map((mark) => [mark.item, mark]));
  const now = ctx.now();
  const isMarked = ({ id, at }: Candidate) => {
    const mark = markOf.get(id);
    return mark !== undefined && mark.at >= at && !isOver(mark, now);
  };
  const [single, folding] = [
    candidates.filter(({ folds }) => folds === undefined),
    candidates.filter(({ folds }) => folds !== undefined),
  ];
  const mine = withoutRepeatedAnswers(single.filter(({ isForOthers }) => !isForOthers));
  const marked = mine.filter(isMarked);
  const open = mine
    .filter((one) => !isMarked(one))
    .map((candidate) => afterSnooze(candidate, markOf.get(candidate.id)));
  const needed = fit(
    open.filter(isNeed),
    [...marked, ...single.filter(({ isForOthers }) => isForOthers)],
    folding,
    isMarked,
  );
  const items = [...needed, ...newestFirst(open.filter((one) => !isNeed(one)))];
  const untilOf = ({ id }: Candidate) => markOf.get(id)?.until ?? null;
  const [snoozed, done] = [
    marked.filter((one) => untilOf(one) !== null),
    marked.filter((one) => untilOf(one) === null),
  ];
  const count = (of: readonly Candidate[]) =>
    Math.min(
      countMax,
      of.reduce((sum, { folds = 1 }) => sum + folds, 0),
    );
  const countOf = (group: Group) => count(items.filter(({ reason }) => reasons[reason].group === group));
  const shown = { open: items, done: newestFirst(done), snoozed: newestFirst(snoozed) }[view];
  const listed = await describeItems(ctx, shown.slice(0, itemsMax));
  const inbox = {
    count: count(needed),
    counts: Object.fromEntries(groupNames.map((group) => [group, countOf(group)])) as Inbox["counts"],
    items: listed.map((item) => render(ctx, item, view === "snoozed" ? untilOf(item) : null)),
    snoozed: count(snoozed),
    done: count(done),
    repaired: broken.repaired,
  };
  return { inbox, broken, known: new Set(ids), listed: shown.length };
}

/** Without those whose asset was deleted meanwhile. */
async function describeItems(
  { data }: OverviewContext,
  items: readonly Candidate[],
): Promise<readonly Candidate[]> {
  const ids = items.flatMap(({ describe, asset }) => (describe && asset ? [asset] : []));
  const assets = new Map((await data.assetDetails(ids)).map((asset) => [asset.id, asset]));
  return items.flatMap((item) => {
    const asset = item.asset === undefined ? undefined : assets.get(item.asset);
    if (!item.describe) return [item];
    return asset ? [{ ...item, ...item.describe(asset) }] : [];
  });
}

const isNeed = ({ reason }: Candidate): boolean => needsPerson(reasons[reason].group);

/** A version that waits for the caller's review says itself what came of the note: one thing is one item. */
function withoutRepeatedAnswers(mine: readonly Candidate[]): Candidate[] {
  const isReview = ({ reason }: Candidate) => reasons[reason].action === reasons.review.action;
  const waiting = new Set(mine.filter(isReview).map(({ asset }) => asset));
  return mine.filter((one) => isNeed(one) || !waiting.has(one.asset));
}

const newestFirst = (marked: readonly Candidate[]): Candidate[] =>
  marked.toSorted((a, b) => b.at - a.at).slice(0, countMax);

/** A snooze that has ended brings an item back on top. */
const afterSnooze = (candidate: Candidate, mark: InboxMark | undefined): Candidate =>
  mark && mark.until !== null && mark.at >= candidate.at ? { ...candidate, at: mark.until } : candidate;

/** Whether it is a snooze that has ended. */
const isOver = ({ until }: InboxMark, now: number): boolean => until !== null && until <= now;

function render(ctx: OverviewContext, item: Candidate, until: Micros | null): InboxItem {
  const { id, reason, title, detail, path, project, at, due = null, times = 1, folds } = item;
  return {
    id,
    reason,
    group: reasons[reason].group,
    title: folds === undefined ? title : foldTitle(folds),
    detail,
    action: reasons[reason].action,
    url: ctx.config.siteUrl + path,
    project,
    at: fromMicros(at),
    due_at: due === null ? null : fromMicros(due),
    times,
    issue: issueOnly(item.issue),
    task: item.task ?? null,
    pr: item.pr ?? null,
    asset: item.asset ?? null,
    thumb_url: item.thumb ? assetUrls(ctx, item.thumb).urls.thumb_url : null,
    until: until === null ? null : fromMicros(until),
  };
}

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
  const { count } = (await compileInbox(ctx, caller, { itemsMax: 0 })).inbox;
  counts.set(key, { count, version, madeAt }, counts.generation);
  return count;
}

/** Clears the counts after an item was marked. */
export const forgetCounts = ({ data }: OverviewContext): void => countsOf(data).clear();
