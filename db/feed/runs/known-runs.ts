/** The runs that an append may continue: read before it, or known from the appends before. */
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import type { RunEvent } from "../../../src/feed/runs/fold.ts";
import { derivedRunIdPrefix, ruleKey } from "../../../src/feed/runs/rule.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, pipeline } from "../../query/statements.ts";

import type { KnownRun, RunCache, Version } from "./run-cache.ts";
import { newestDerived, runsById } from "./states.ts";

type SentEvent = Pick<Appendable, "kind" | "actor" | "project" | "run_id" | "issue" | "pr" | "ts">;

/** What events may continue. */
export interface KnownRuns {
  /** By `runKey`, or by `pairKey` for events without a `run_id`; null when there is no run. */
  runs: Map<string, KnownRun | null>;
  /** The keys of those that the cache does not have: read, or begun since. */
  uncached: Set<string>;
  /** The first event with a time of its own of each `pairKey`. */
  timed: ReadonlyMap<string, PastGroup>;
}

/** Id and project of a named run; neither holds a line break. */
export const runKey = ({ run_id, project }: SentEvent): string => `${run_id}\n${project}`;
/** Project and rule key; neither holds a line break. */
export const pairKey = ({ project, actor, issue = null, pr = null }: SentEvent): string =>
  `${project}\n${ruleKey({ actor, issue, pr })}`;
export const pairOf = (key: string): [string, string] => {
  const end = key.indexOf("\n");
  return [key.slice(0, end), key.slice(end + 1)];
};

export const isStart = ({ kind }: SentEvent): boolean => kind === "run.started";

/**
 * Reads the runs of events before they are appended, so that Postgres answers along with its other reads.
 * @param cache has runs that need not be read
 */
export async function readRunsOf(
  session: Session,
  sent: readonly SentEvent[],
  cache?: Pick<RunCache, "get">,
): Promise<KnownRuns> {
  const runs: KnownRuns["runs"] = new Map();
  const [ids, pairs]: [string[], string[]] = [[], []];
  const starts = new Set<string>();
  const timed = new Map<string, PastGroup>();
  for (const event of sent) {
    if (event.project == null) continue;
    const isNamed = event.run_id != null;
    const key = isNamed ? runKey(event) : pairKey(event);
    if (!runs.has(key) && !starts.has(key)) {
      const cached = cache?.get(key);
      // A run that begins within the batch does not need the one before.
      if (cached === undefined && !isNamed && isStart(event)) starts.add(key);
      else runs.set(key, cached ?? null);
      if (cached === undefined && !starts.has(key)) (isNamed ? ids : pairs).push(key);
    }
    if (!isNamed && event.ts !== undefined && event.ts < (timed.get(key)?.ts ?? Number.POSITIVE_INFINITY))
      timed.set(key, { ...event, key, ts: event.ts });
  }
  const [named, derived] = await pipeline([
    runsById(session, ids.map(pairOf)),
    newestDerived(session, pairs.map(pairOf)),
  ]);
  for (const run of named) runs.set(`${run.state.id}\n${run.state.project}`, run);
  addDerived(runs, derived);
  return { runs, uncached: new Set([...ids, ...pairs]), timed };
}

/**
 * The keys of events that are added to the past, but after which none of the key is stored, as when a log is
 * imported in its order: they continue its runs as live ones do.
 * @param before `ts` of the newest event before these
 */
export const continuedKeys = (
  session: Session,
  { timed }: KnownRuns,
  before: Micros,
): Promise<ReadonlySet<string>> =>
  keysWithoutLater(
    session,
    [...timed.values()].filter(({ ts }) => ts <= before),
  );

export function addDerived(runs: KnownRuns["runs"], derived: readonly KnownRun[]): void {
  for (const run of derived) runs.set(`${run.state.project}\n${run.state.rule_key}`, run);
}

/** The events of one derived run key. */
export type RuleGroup = [key: string, events: RunEvent[]];

/** What is to be derived from the stored events, once these are stored. */
export interface ToDerive {
  /** Groups of which some events were added to the past, for `deriveAround`. */
  past: RuleGroup[];
  /** The first event of each pipeline that begins: its jobs may have been stored before. */
  begun: RunEvent[];
}

/** Remembers the runs of an append for the next one. @param head of the feed after it */
export function cacheRuns(
  cache: RunCache,
  { runs, uncached }: KnownRuns,
  { past, begun }: ToDerive,
  head: Version,
): void {
  const changed = [...uncached].map((key) => [key, runs.get(key) ?? null] as const);
  // Derived again since, or with an id that the service gives but a sender once named: by two keys.
  const isOutdated = past.length + begun.length > 0 || changed.some(([, run]) => hasTwoKeys(run));
  if (isOutdated) cache.clear();
  else for (const [key, run] of changed) cache.set(key, run);
  cache.moveTo(head);
}

const hasTwoKeys = (run: KnownRun | null): boolean =>
  run !== null && run.state.rule_key === null && run.state.id.startsWith(derivedRunIdPrefix);

/** Events of one project, actor and task without a `run_id`, by the first of them. */
interface PastGroup extends Pick<Appendable, "project" | "actor" | "issue" | "pr"> {
  key: string;
  ts: Micros;
}

/**
 * The keys of groups that no stored event follows. Those without a task are left out: only the index of
 * actors could tell, by all later events of the actor.
 */
async function keysWithoutLater(
  session: Session,
  groups: readonly PastGroup[],
): Promise<ReadonlySet<string>> {
  const ofTask = groups.filter(({ issue, pr }) => issue != null || pr != null);
  if (ofTask.length === 0) return new Set();
  const { dialect } = session;
  const json = JSON.stringify(
    ofTask.map(({ key, project, actor, issue, pr, ts }) => [
      key,
      project,
      actor,
      issue ?? null,
      pr ?? null,
      ts,
    ]),
  );
  const number = (at: number): SQL => sql`cast(value ->> ${sql.raw(String(at))} as bigint)`;
  const follows = (isOfTask: SQL): SQL => sql`exists (select 1 from events as e where ${isOfTask}
    and e.ts >= ${number(5)} and e.project = value ->> 1
    and ${dialect.unindexed(sql`e.actor`)} = value ->> 2 and ${dialect.unindexed(sql`e.run_id`)} is null)`;
  const ofIssue = follows(sql`e.issue = ${number(3)}`);
  const ofPr = follows(sql`e.pr = ${number(4)} and e.issue is null`);
  const rows = await allRows<{ key: string }>(
    session,
    sql`select value ->> 0 as key from ${dialect.jsonElements(json)}
      where not (case when value ->> 3 is not null then ${ofIssue} else ${ofPr} end)`,
  );
  return new Set(rows.map(({ key }) => key));
}
