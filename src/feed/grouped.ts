/**
 * The grouped feed: a run is one item, positioned by its newest event to the minute; every event that belongs
 * to no run, or is more than a step of one, is an item of its own. A page merges runs, events of other kinds,
 * and events of a run's kinds that no run has. Each is a bounded read of an index.
 */
import { actorName } from "../core/auth/actor-name.ts";
import type { Caller } from "../core/auth/caller.ts";
import type { Micros } from "../core/lib/time.ts";
import type { Projects } from "../core/rows.ts";
import { valuesOf } from "../core/wire.ts";
import type { FeedContext } from "./context.ts";
import { filterOf } from "./feed.ts";
import type { FeedFilter } from "./filters.ts";
import { kinds } from "./kinds.ts";
import type { FeedReads } from "./port.ts";
import type { RenderedEvent, RunFilter, RunRow } from "./rows.ts";
import { ruleKey } from "./runs/rule.ts";
import type { Event, EventKind } from "./schema.ts";

/** The kinds of events that are a run: its start, its steps, and its end. All others stand for themselves. */
export const runKinds = [
  "run.started",
  "run.finished",
  "run.failed",
  "step.usage",
] as const satisfies EventKind[];

const isRunKind = (kind: EventKind): boolean => (runKinds as readonly EventKind[]).includes(kind);
export const otherKinds: readonly EventKind[] = kinds.filter((kind) => !isRunKind(kind));

/** The filters that select runs as well as events; `kind` and `run_id` select events only. */
const groupedFilterNames = ["project", "actor", "lane", "team", "person", "issue", "pr", "task"] as const;
export type GroupedFilter = Pick<FeedFilter, (typeof groupedFilterNames)[number]>;

export interface GroupedQuery extends GroupedFilter {
  before?: Micros;
  after?: Micros;
  limit: number;
}

/** An item, and its position in the feed. */
export type GroupedItem = { ts: Micros } & ({ run: RunRow } | { event: Event });

export interface GroupedPage {
  items: GroupedItem[];
  /** `before` of the next, older page; null on the last page. */
  next: Micros | null;
}

/** Part of a list that is complete down to a position: exclusive, or null when there is nothing older. */
interface Part {
  items: GroupedItem[];
  end: Micros | null;
}

interface Reader {
  data: FeedReads;
  config: FeedContext["config"];
}

/** One page of the grouped feed, newest first. @throws 400 for an unknown lane */
export async function groupedPage(
  ctx: Reader,
  { before, after, limit, ...filter }: GroupedQuery,
  { projects }: Pick<Caller, "projects">,
): Promise<GroupedPage> {
  filterOf(ctx.config, filter);
  const range = { ...(before !== undefined && { before }), ...(after !== undefined && { after }) };
  const [runs, others] = await Promise.all([
    runPart(ctx, projects, { ...filter, ...range, limit }),
    otherPart(ctx, projects, { ...filter, ...range, limit }),
  ]);
  const merged = merge([runs, others], limit);
  const loose = await loosePart(ctx, projects, { ...filter, ...range }, merged.end);
  const { items, end } = merge([merged, loose], limit);
  return { items, next: end };
}

/** The newest items of complete parts. Items of one position stay together, as the next page begins below it. */
function merge(parts: Part[], limit: number): Part {
  const ends = parts.flatMap(({ end }) => (end === null ? [] : [end]));
  const complete = Math.max(...ends, Number.NEGATIVE_INFINITY);
  const items = parts
    .flatMap((part) => part.items)
    .filter(({ ts }) => ts >= complete)
    .sort((a, b) => b.ts - a.ts);
  const last = items[limit - 1]?.ts;
  if (last === undefined || items.length <= limit) return { items, end: ends.length === 0 ? null : complete };
  const page = items.filter(({ ts }) => ts >= last);
  return { items: page, end: page.length < items.length || ends.length > 0 ? last : null };
}

/** Runs filtered by several values are several lists; with more than this, the page is of events. */
const runListsMax = 16;

/** Whether the grouped feed can be filtered by these values. The up to four forms of an actor count once. */
export function canGroup(filter: GroupedFilter): boolean {
  const names = new Set(valuesOf(filter.actor).map(actorName));
  return combinations({ ...filter, actor: [...names] }).length <= runListsMax;
}

function combinations(filter: GroupedFilter): RunFilter[] {
  let found: Record<string, string | number>[] = [{}];
  for (const name of groupedFilterNames) {
    const values = valuesOf<string | number>(filter[name]);
    if (values.length > 0) found = found.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  }
  return found;
}

async function runPart({ data }: Reader, projects: Projects, query: GroupedQuery): Promise<Part> {
  const { before, after, limit, ...filter } = query;
  const bounds = {
    ...(before !== undefined && { before }),
    ...(after !== undefined && { eventAfter: after }),
  };
  const lists = await Promise.all(
    combinations(filter).map((one) => data.runs(projects, { ...one, ...bounds, limit: limit + 1 })),
  );
  const parts = lists.map(({ runs, next }) => ({
    items: runs.map((run) => ({ ts: run.listed_at, run })),
    end: next,
  }));
  return merge(parts, limit + 1);
}

/** Whether one index has the events in order, whatever their kind: all, or those of one project, say. */
function hasOneIndex(projects: Projects, { project, actor, lane, ...others }: GroupedFilter): boolean {
  if (Object.values(others).some((value) => value !== undefined)) return false;
  const values = [project, actor, lane].flatMap((value) => valuesOf(value));
  return values.length <= 1 && (projects === null || project !== undefined);
}

/** Events read for each item: enough of them are usually of other kinds. */
const scanFactor = 4;

/**
 * Scanning the next events of one index is faster than merging those of each kind: a project has hundreds of
 * lists of them (`bun run bench page-times`).
 */
async function otherPart({ data }: Reader, projects: Projects, query: GroupedQuery): Promise<Part> {
  const { before: _, after: __, limit, ...filter } = query;
  const most = limit + 1;
  const canScan = hasOneIndex(projects, filter);
  const next = canScan ? await data.feed(projects, { ...query, limit: scanFactor * most }) : [];
  const others = next.map(toEventItem).filter(({ event }) => !isOfRun(event));
  const isEnough = others.length >= most || (canScan && next.length < scanFactor * most);
  const items = isEnough
    ? others.slice(0, most)
    : (await data.feed(projects, { ...query, kind: [...otherKinds], limit: most })).map(toEventItem);
  return { items, end: items.length === most ? (items.at(-1) as GroupedItem).ts : null };
}

/** Events that are read at a time, and how often: what a page looks through at most. */
const readLength = 500;
const readsMax = 4;

/** The events of a run's kinds, down to `end`, that belong to no run. */
async function loosePart(
  { data }: Reader,
  projects: Projects,
  { before, after, ...filter }: Omit<GroupedQuery, "limit">,
  end: Micros | null,
): Promise<Part> {
  const bounds = [after, end === null ? undefined : end - 1].filter((bound) => bound !== undefined);
  const from = bounds.length > 0 ? { after: Math.max(...bounds) } : {};
  const items: GroupedItem[] = [];
  for (let reads = 0, until = before; ; ) {
    const found = await data.feed(projects, {
      ...filter,
      ...from,
      limit: readLength,
      ...(!hasOneIndex(projects, filter) && { kind: [...runKinds] }),
      ...(until !== undefined && { before: until }),
    });
    const unnamed = found.filter(mayBeUnnamed).map(toEventItem).filter(isUnnamed);
    const derived = await data.eventsInRuns(unnamed.flatMap(ruleOf));
    items.push(...unnamed.filter(({ ts }) => !derived.has(ts)));
    if (found.length < readLength) return { items, end };
    until = found.at(-1)?.ts;
    if (++reads === readsMax) return { items, end: until ?? end };
  }
}

const toEventItem = ({ ts, wire }: RenderedEvent) => ({ ts, event: JSON.parse(wire) as Event });

const isOfRun = ({ kind }: Event): boolean => (runKinds as readonly string[]).includes(kind);

/**
 * Without parsing, which took a tenth of the page of a project (`bun run bench page-times`): nearly all
 * events of a run name it. Quotes within a text are escaped.
 */
const mayBeUnnamed = ({ wire }: RenderedEvent): boolean =>
  !wire.includes('"run_id":"') || wire.includes('"project":null');

/** A start, a step or an end that names no run. */
const isUnnamed = ({ event }: { event: Event }): boolean =>
  isOfRun(event) && (!event.run_id || event.project === null);

const ruleOf = ({ ts, event }: { ts: Micros; event: Event }) =>
  event.project === null ? [] : [{ project: event.project, rule_key: ruleKey(event), ts }];
