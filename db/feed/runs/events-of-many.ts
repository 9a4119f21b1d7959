/**
 * Reads the events of many runs, a bounded number at a time. Each statement reads those of hundreds of runs:
 * an import changes thousands, and with a trip to a distant Postgres for each of them it would exceed the
 * time that a transaction may take.
 */
import { type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { RunEvent } from "../../../src/feed/runs/fold.ts";
import type { Session } from "../../engine/session.ts";
import { pipeline, preparedStatement } from "../../query/statements.ts";
import { type EventsOfRun, type StoredEvent, toRunEvent } from "./events-of.ts";
import { pairKey, runKey } from "./known-runs.ts";

type Row = Pick<StoredEvent, "ts" | "wire" | "payload">;

/** A range of the events of one run. */
export interface EventRange {
  run: EventsOfRun;
  /** Both inclusive. */
  first: Micros;
  last: Micros;
}

/** Which events are of a run, by the index that finds them. */
const kindsOfRuns = {
  named: ({ dialect }: Session) =>
    sql`e.run_id = lists.run_id and ${dialect.unindexed(sql`e.project`)} = lists.project`,
  ofIssue: (session: Session) => sql`e.issue = ${number("issue")} and ${byRule(session)}
    and ${session.dialect.unindexed(sql`e.actor`)} = lists.actor`,
  ofPullRequest: (session: Session) => sql`e.pr = ${number("pr")} and ${byRule(session)}
    and ${session.dialect.unindexed(sql`e.issue`)} is null
    and ${session.dialect.unindexed(sql`e.actor`)} = lists.actor`,
  withoutTask: (session: Session) => sql`e.actor = lists.actor and ${byRule(session)}
    and ${session.dialect.unindexed(sql`e.issue`)} is null
    and ${session.dialect.unindexed(sql`e.pr`)} is null`,
} satisfies Record<string, (session: Session) => SQL>;
type KindOfRun = keyof typeof kindsOfRuns;

const number = (name: string): SQL => sql`cast(lists.${sql.raw(name)} as bigint)`;
const byRule = ({ dialect }: Session): SQL =>
  sql`${dialect.unindexed(sql`e.run_id`)} is null and ${dialect.unindexed(sql`e.project`)} = lists.project`;

const kindOf = ({ rule_key, issue, pr }: EventsOfRun): KindOfRun =>
  rule_key === null ? "named" : issue !== null ? "ofIssue" : pr !== null ? "ofPullRequest" : "withoutTask";

const listed = ["project", "run_id", "actor", "issue", "pr", "first", "last"] as const;

/** @param eventsMax of each run */
const readers = (eventsMax: number) =>
  preparedStatement((session) => {
    const { db, dialect, t } = session;
    const { ts, wire, payload } = t.events;
    const columns = listed.map((name, at) => sql`value ->> ${sql.raw(String(at))} as ${sql.raw(name)}`);
    const lists = sql`(select ${sql.join(columns, sql`, `)}
      from ${dialect.jsonElements(sql.placeholder("list"))}) as lists`;
    const reader = (isOfRun: SQL) => {
      const times = dialect.forEachRow(
        lists,
        ["ts"],
        sql`select e.ts from events as e where ${isOfRun} and e.ts >= ${number("first")}
          and e.ts <= ${number("last")} order by e.ts limit ${sql.raw(String(eventsMax))}`,
      );
      const query = db
        .select({ ts, wire, payload })
        .from(t.events)
        .where(dialect.isIn(ts, times))
        .orderBy(ts)
        .limit(sql.placeholder("limit"));
      return dialect.reader<Row>(db, query.prepare());
    };
    return Object.fromEntries(
      Object.entries(kindsOfRuns).map(([kind, condition]) => [kind, reader(condition(session))]),
    ) as Record<KindOfRun, ReturnType<typeof reader>>;
  });

/** Most runs have few events; those with more are read on in longer pages. Each page bounds the memory. */
export const firstPage = { runs: 400, events: 40, read: readers(40) };
export const laterPages = { runs: 20, events: 800, read: readers(800) };

/** Reads the next events of runs, those of each run in order. Ranges of runs with the same key do not overlap. */
export async function readEventsOfRuns(
  session: Session,
  { runs, events, read }: typeof firstPage,
  ranges: readonly EventRange[],
): Promise<Map<EventsOfRun, RunEvent[]>> {
  const byKind = read(session);
  const statements = [...Map.groupBy(ranges, ({ run }) => kindOf(run))].map(([kind, own]) =>
    byKind[kind]({
      list: JSON.stringify(
        own.map(({ run, first, last }) => {
          const { project, id, actor, issue, pr } = run;
          return [project, id, actor, issue, pr, first, last];
        }),
      ),
      limit: runs * events,
    }),
  );
  const found = new Map(ranges.map(({ run }) => [run, [] as RunEvent[]]));
  const byKey = Map.groupBy(ranges, ({ run }) => keyOf(run));
  for (const row of (await pipeline(statements)).flat()) {
    const event = toRunEvent(row);
    const key = event.run_id === null ? pairKey(event) : runKey(event);
    const range = byKey.get(key)?.find(({ first, last }) => first <= event.ts && event.ts <= last);
    if (range) found.get(range.run)?.push(event);
  }
  return found;
}

/** As `runKey` and `pairKey` of its events. */
const keyOf = ({ id, project, rule_key }: EventsOfRun): string =>
  rule_key === null ? `${id}\n${project}` : `${project}\n${rule_key}`;
