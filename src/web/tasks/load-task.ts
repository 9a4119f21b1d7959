/** Loads what the page of a task shows. */

import { notFound } from "../../core/problem.ts";
import { isTaskKey, shownKey, taskNumberOf } from "../../core/task-key.ts";
import { TaskNumber } from "../../core/wire.ts";
import type { Claim, ClaimList } from "../../feed/claims/schema.ts";
import { subjectOfTask } from "../../feed/claims/subject.ts";
import { otherKinds } from "../../feed/grouped.ts";
import { listClaims } from "../../feed/operations/claims.ts";
import { getFeed, listRuns } from "../../feed/operations/feed.ts";
import type { Run, RunPage } from "../../feed/runs/schema.ts";
import type { Event, FeedPage } from "../../feed/schema.ts";
import { assetIdOf } from "../../library/assets/page-url.ts";
import type { Asset, AssetList } from "../../library/assets/schema.ts";
import { listAssets } from "../../library/operations/assets.ts";
import { waitingSetText } from "../../library/review-queue/text.ts";
import { groupBySet, loadSetStatuses, type SetStatuses } from "../../library/variant-sets/group.ts";
import { decisionOf } from "../../library/verdicts/text.ts";
import { setPath } from "../../memory/set-ref.ts";
import { type AttemptChain, costOf, loadAttempts, type TaskCost } from "../../overview/tasks/attempts.ts";
import { findTask, type LinkedTask } from "../../overview/tasks/task.ts";
import { loadTask, type Task } from "../desk/sidebar/task.tsx";
import type { ListedEvent } from "../feed/event-rows.tsx";
import { hasScope } from "../layout.tsx";
import { type TaskOf, taskFilter } from "../runs/links.tsx";
import { callOperation, readFor, type View } from "../view.ts";
import { loadChanges, type RequestedChanges } from "./requested-changes.ts";

/** The most of each that the page shows. */
export const runsMax = 100;
const assetsMax = 200;
const eventsMax = 50;
/** Read, because those about a variant set are shown as one. */
const eventsReadMax = 200;

export interface ShownTask extends LinkedTask {
  of: TaskOf;
  task: Task;
  /** Oldest first. */
  runs: Run[];
  hasMoreRuns: boolean;
  /** Null if the visitor may not read assets. */
  chains: AttemptChain[] | null;
  /** The variants of its sets by their status. */
  setStatuses: SetStatuses;
  /** What reviewers asked for, by the version. */
  changes: RequestedChanges;
  cost: TaskCost;
  /** Who says that they work on it. */
  claim: Claim | null;
  /** What else happened, newest first: events that are not steps, starts or ends of runs. */
  events: ListedEvent[];
  /** The time of the newest event. */
  newest: string;
}

/** @throws Problem 404 for an unknown project, or when nothing is known of the task */
export async function loadTaskPage(view: View): Promise<ShownTask> {
  const { ctx, visitor, params } = view;
  const slug = params.slug ?? "";
  const of = taskOf(view);
  const selected = { project: slug, ...taskFilter(of) };
  // The operation checks the scope, so it comes first.
  const found = await callOperation<RunPage>(view, listRuns, { ...selected, limit: runsMax });
  const linked = await readFor(view, findTask(ctx, { project: slug, ...of }, visitor.caller));
  const selections = [selected, ...pullsOf(linked).map((pr) => ({ project: slug, pr }))];
  const own = taskNumberOf(of);
  const isOfTask = (named: Pick<Event, "issue" | "task">) =>
    own === null || (taskNumberOf(named) ?? own) === own;
  const readEvents = async (filter: { kind?: readonly string[] }) => {
    const read = (selection: object) =>
      callOperation<FeedPage>(view, getFeed, { ...selection, ...filter, limit: eventsReadMax });
    const events = (await Promise.all(selections.map(read))).flatMap((page) => page.events.filter(isOfTask));
    const byId = new Map(events.map((event) => [event.id, event]));
    return [...byId.values()].toSorted((a, b) => (a.ts < b.ts ? 1 : -1));
  };
  const [others, assets] = await Promise.all([
    readEvents({ kind: otherKinds }),
    loadAssets(view, selections, isOfTask),
  ]);
  const hasOthers = others.length + found.count + (assets?.length ?? 0) > 0;
  // Steps may belong to no run: they are shown if there is nothing else.
  const events = hasOthers ? others : await readEvents({});
  if (!hasOthers && events.length === 0)
    throw notFound(`${slug} has no events, runs or assets of this task.`);
  const runs = found.runs.toReversed();
  const [task, chains] = await Promise.all([
    loadTask(view, { project: slug, ...of }),
    assets && readFor(view, loadAttempts(ctx, { project: slug, assets, runs })),
  ]);
  const [claims, changes, setStatuses] = await Promise.all([
    callOperation<ClaimList>(view, listClaims, { project: slug }),
    loadChanges(view, chains ?? []),
    loadSetStatuses(ctx, groupBySet(assets ?? []).sets),
  ]);
  return {
    ...linked,
    of,
    runs,
    chains,
    changes,
    setStatuses,
    claim: claims.claims.find(({ subject }) => subject === subjectOfTask(of)) ?? null,
    task: task as Task,
    hasMoreRuns: found.next_cursor !== null,
    cost: costOf(runs, chains ?? []),
    events: foldSetEvents(events, assets ?? []).slice(0, eventsMax),
    newest: [runs.at(-1)?.last_event_at ?? "", events[0]?.ts ?? ""].toSorted().at(-1) as string,
  };
}

/** The task in the path: its parameter is named by what it is. @throws Problem 404 for what no task can have */
function taskOf({ params: { issue, task, pr } }: View): TaskOf {
  if (task !== undefined) {
    if (!isTaskKey(task)) throw notFound("No such task: the key of one has letters, such as PROJ-123.");
    return { issue: null, task: shownKey(task), pr: null };
  }
  const number = issue ?? pr ?? "";
  if (!/^[1-9]\d*$/.test(number) || Number(number) > (TaskNumber.maximum as number))
    throw notFound(`No task ${number}: it must be the number of one.`);
  return { issue: issue ? Number(issue) : null, pr: pr ? Number(pr) : null };
}

/** The pull requests of an issue, or of a task of a tracker. */
const pullsOf = ({ listed: { issue, task, pulls } }: LinkedTask): number[] =>
  (issue ?? task) === null ? [] : pulls.map(({ number }) => number);

async function loadAssets(
  view: View,
  selections: readonly object[],
  isOfTask: (asset: Asset) => boolean,
): Promise<Asset[] | null> {
  if (!hasScope(view, "assets:read")) return null;
  const read = (selection: object) =>
    callOperation<AssetList>(view, listAssets, { ...selection, limit: assetsMax });
  const found = (await Promise.all(selections.map(read))).flatMap(({ assets }) => assets.filter(isOfTask));
  return [...new Map(found.map((asset) => [asset.id, asset])).values()];
}

/**
 * Events of one kind, and reviews with one verdict, about several variants of a set become one, at the place
 * of the newest.
 * @param events newest first
 * @param assets of the task
 */
function foldSetEvents(events: readonly Event[], assets: readonly Asset[]): ListedEvent[] {
  const setOf = new Map(groupBySet(assets).sets.flatMap((of) => of.variants.map(({ id }) => [id, of])));
  const groups = Map.groupBy(events, (event) => {
    const set = setOf.get(assetIdOf(event.url) ?? "")?.set;
    return JSON.stringify(set === undefined ? event.id : [set, event.kind, decisionOf(event)]);
  });
  return [...groups.values()].flatMap(([newest, ...older]) => {
    const of = setOf.get(assetIdOf(newest?.url ?? null) ?? "");
    if (!newest || !of || older.length === 0) return newest ?? [];
    const count = new Set([newest, ...older].map(({ url }) => url)).size;
    const verdict = decisionOf(newest);
    const summary = `${waitingSetText({ set: of.set, count })}${verdict ? ` ${verdict}` : ""}`;
    return { ...newest, summary, page: setPath(of.project, of.set) };
  });
}
