/** The states of runs as rows. */
import { getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { RunState } from "../../../src/feed/runs/fold.ts";
import type { Value } from "../../dialect/client.ts";
import type { Session } from "../../engine/session.ts";
import { pipeline, preparedStatement } from "../../query/statements.ts";
import type { EventsOfRun } from "./events-of.ts";
import { type KnownRun, listColumns } from "./run-cache.ts";

export type Stored = Session["t"]["runs"]["$inferSelect"];

/** The state of a run by its row, which becomes it: copying its columns takes as long as folding an event. */
export const toState = (row: Stored): RunState =>
  Object.assign(row, {
    models: JSON.parse(row.models),
    marks: JSON.parse(row.marks),
    files: filesOf(row),
  });

export const filesOf = ({ files }: Pick<Stored, "files">): RunState["files"] =>
  files === null ? [] : JSON.parse(files);

const toKnownRun = (row: Stored): KnownRun => {
  const state = toState(row);
  return { state, listed: pickListed(state) };
};

const pickListed = (row: NonNullable<KnownRun["listed"]>): KnownRun["listed"] => {
  const { issue, pr, actor, status, started_at, listed_at, parent, token, files } = row;
  return { issue, pr, actor, status, started_at, listed_at, parent, token, files };
};

/** More than a transaction of appends can touch. */
const statesMax = 100_000;

/**
 * A prepared read of runs by pairs of text: `one` is its condition for a single pair, the usual case, and
 * `each` that of a pair of a JSON list, which are looked up one after the other. Postgres would join the list
 * with all runs instead, in a plan that it made while there were few (`bun run bench append-nodes`).
 */
const runReader = (
  one: (session: Session, first: SQLWrapper, second: SQLWrapper) => SQL,
  each: (first: SQL, second: SQL) => SQL,
) => {
  const reader = (condition: (session: Session) => SQL) =>
    preparedStatement((session) => {
      const { runs } = session.t;
      const query = session.db
        .select(getTableColumns(runs))
        .from(runs)
        .where(condition(session))
        .limit(sql.placeholder("limit"))
        .prepare();
      return session.dialect.reader<Stored>(session.db, query);
    });
  const readOne = reader((session) => one(session, sql.placeholder("first"), sql.placeholder("second")));
  const readMany = reader(({ dialect, t: { runs } }) => {
    const pairs = sql`(select value ->> 0 as first, value ->> 1 as second
      from ${dialect.jsonElements(sql.placeholder("list"))}) as pairs`;
    const condition = each(sql`pairs.first`, sql`pairs.second`);
    const found = sql`select one.listed_at from runs as one where ${condition} limit 1`;
    return dialect.isIn(runs.listed_at, dialect.forEachRow(pairs, ["listed_at"], found));
  });
  return async (session: Session, pairs: readonly (readonly [string, string])[]): Promise<KnownRun[]> => {
    const [pair] = pairs;
    if (!pair) return [];
    const rows =
      pairs.length === 1
        ? await readOne(session)({ first: pair[0], second: pair[1], limit: 1 })
        : await readMany(session)({ list: JSON.stringify(pairs), limit: statesMax });
    return rows.map(toKnownRun);
  };
};

/** The runs with these pairs of id and project. */
export const runsById = runReader(
  ({ t: { runs } }, id, project) => sql`${runs.id} = ${id} and ${runs.project} = ${project}`,
  (id, project) => sql`one.id = ${id} and one.project = ${project}`,
);

/** The newest derived run of each pair of project and rule key. */
export const newestDerived = runReader(
  ({ t: { runs } }, project, ruleKey) => sql`${runs.rule_key} is not null and ${runs.project} = ${project}
    and ${runs.rule_key} = ${ruleKey} and ${runs.started_at} = (select max(newest.started_at)
      from runs as newest where newest.project = ${project} and newest.rule_key = ${ruleKey})`,
  (project, ruleKey) => sql`one.project = ${project} and one.rule_key = ${ruleKey}
    and one.rule_key is not null order by one.started_at desc`,
);

export const columnNames = (session: Session): string[] => Object.keys(getTableColumns(session.t.runs));

export const toRow = ({ state }: KnownRun) => ({
  ...state,
  models: JSON.stringify(state.models),
  marks: JSON.stringify(state.marks),
  files: state.files.length === 0 ? null : JSON.stringify(state.files),
});

/** Adds runs, and sets all columns but these of runs that are stored. */
const upsertWithout = (fixed: readonly string[]) =>
  preparedStatement((session) => {
    const { db, dialect, t } = session;
    const names = columnNames(session);
    const changed = names.filter((name) => !fixed.includes(name));
    const set = changed.map((name) => `${name} = excluded.${name}`).join(", ");
    const insert = dialect.inserter(db, t.runs, `on conflict (id, project) do update set ${set}`);
    return (runs: readonly KnownRun[]) =>
      insert(
        runs.map((run) => {
          const row: Record<string, unknown> = toRow(run);
          return names.map((name) => row[name] as Value);
        }),
      );
  });

const upsertRuns = upsertWithout(["id", "project"]);
/** Updates runs in place: a database changes each index of a column that a statement sets, to whatever value. */
const updateRuns = upsertWithout(["id", "project", "rule_key", ...listColumns]);

const hasSameListColumns = ({ state, listed }: KnownRun): boolean =>
  listed !== null && listColumns.every((name) => listed[name] === state[name]);

/** Saves runs. Of two with the same id, as when a sender names a run that the rule derives, the last stays. */
export async function saveRuns(session: Session, runs: readonly KnownRun[]): Promise<void> {
  const byKey = new Map(runs.map((run) => [`${run.state.id}\n${run.state.project}`, run]));
  const [inPlace, others]: [KnownRun[], KnownRun[]] = [[], []];
  for (const run of byKey.values()) (hasSameListColumns(run) ? inPlace : others).push(run);
  await pipeline([updateRuns(session)(inPlace), upsertRuns(session)(others)]);
  for (const run of others) run.listed = pickListed(run.state);
}

/** The newest derived run that started at a time or before, for each of these projects, rule keys and times. */
export const startedBefore = async (
  session: Session,
  times: readonly (readonly [project: string, ruleKey: string, until: Micros])[],
): Promise<EventsOfRun[]> =>
  times.length === 0 ? [] : readStartedBefore(session)({ list: JSON.stringify(times), limit: statesMax });

const readStartedBefore = preparedStatement((session) => {
  const { db, dialect, t } = session;
  const { id, project, rule_key, actor, issue, pr, started_at, last_event_at, listed_at } = t.runs;
  const heads = dialect.forEachRow(
    sql`(select distinct value ->> 0 as project, value ->> 1 as rule_key, cast(value ->> 2 as bigint) as until
      from ${dialect.jsonElements(sql.placeholder("list"))}) as lists`,
    ["listed_at"],
    sql`select one.listed_at from runs as one where one.project = lists.project
      and one.rule_key = lists.rule_key and one.rule_key is not null and one.started_at <= lists.until
      order by one.started_at desc limit 1`,
  );
  const query = db
    .select({ id, project, rule_key, actor, issue, pr, started_at, last_event_at })
    .from(t.runs)
    .where(dialect.isIn(listed_at, heads))
    .limit(sql.placeholder("limit"));
  return dialect.reader<EventsOfRun>(db, query.prepare());
});
