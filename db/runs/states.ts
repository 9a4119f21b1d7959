/** The states of runs as rows. */
import {
  and,
  desc,
  eq,
  getTableColumns,
  isNotNull,
  lte,
  type Placeholder,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import type { Micros } from "../../src/lib/time.ts";
import type { RunState } from "../../src/runs/fold.ts";
import type { Session } from "../engine/session.ts";
import { pipeline } from "../query/pipeline.ts";
import { preparedStatement, preparedWrite } from "../query/prepared-statement.ts";
import { type KnownRun, listColumns } from "./run-cache.ts";

export type Stored = Session["t"]["runs"]["$inferSelect"];

/** The state of a run by its row, which becomes it: copying its columns takes as long as folding an event. */
export const toState = (row: Stored): RunState =>
  Object.assign(row, { models: JSON.parse(row.models), marks: JSON.parse(row.marks) });

const toKnownRun = (row: Stored): KnownRun => ({ state: toState(row), listed: pickListed(row) });

const pickListed = (row: NonNullable<KnownRun["listed"]>): KnownRun["listed"] => {
  const { issue, pr, actor, status, started_at, listed_at, parent, token } = row;
  return { issue, pr, actor, status, started_at, listed_at, parent, token };
};

/** More than a transaction of appends can touch. */
const statesMax = 100_000;

/**
 * A prepared read of runs by pairs of text: `one` is its condition for a single pair, the usual case, and
 * `many` for a JSON list of them.
 */
const runReader = (
  one: (session: Session, first: Placeholder, second: Placeholder) => SQL,
  many: (session: Session, list: SQL) => SQL,
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
  const readMany = reader((session) => many(session, session.dialect.jsonElements(sql.placeholder("list"))));
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
  ({ t: { runs } }, list) =>
    sql`(${runs.id}, ${runs.project}) in (select value ->> 0, value ->> 1 from ${list})`,
);

const newestStart = (project: SQLWrapper, ruleKey: SQLWrapper): SQL =>
  sql`(select max(newest.started_at) from runs as newest
    where newest.project = ${project} and newest.rule_key = ${ruleKey})`;

/** The newest derived run of each pair of project and rule key. */
export const newestDerived = runReader(
  ({ t: { runs } }, project, ruleKey) => sql`${runs.rule_key} is not null and ${runs.project} = ${project}
    and ${runs.rule_key} = ${ruleKey} and ${runs.started_at} = ${newestStart(project, ruleKey)}`,
  ({ t: { runs } }, list) => sql`${runs.rule_key} is not null
    and (${runs.project}, ${runs.rule_key}, ${runs.started_at}) in (select value ->> 0, value ->> 1,
      ${newestStart(sql`value ->> 0`, sql`value ->> 1`)} from ${list})`,
);

const keyColumns: readonly string[] = ["id", "project", "rule_key"];

export const columnNames = (session: Session): string[] => Object.keys(getTableColumns(session.t.runs));

const upsertRuns = preparedStatement((session) => {
  const { db, dialect, t } = session;
  const names = columnNames(session);
  const changed = names.filter((name) => name !== "id" && name !== "project");
  const set = changed.map((name) => `${name} = excluded.${name}`).join(", ");
  const insert = dialect.inserter(db, t.runs, `on conflict (id, project) do update set ${set}`);
  return (rows: readonly Record<string, unknown>[]) =>
    insert(rows.map((row) => names.map((name) => row[name] as string | number | null)));
});

/** Updates a run in place: a database changes each index of a column that a statement sets, to whatever value. */
const updateRun = preparedWrite((session) => {
  const { runs } = session.t;
  const fixed: readonly string[] = [...keyColumns, ...listColumns];
  const changed = columnNames(session).filter((name) => !fixed.includes(name));
  return session.db
    .update(runs)
    .set(Object.fromEntries(changed.map((name) => [name, sql`${sql.placeholder(name)}`])))
    .where(and(eq(runs.id, sql.placeholder("id")), eq(runs.project, sql.placeholder("project"))))
    .prepare();
});

const hasSameListColumns = ({ state, listed }: KnownRun): boolean =>
  listed !== null && listColumns.every((name) => listed[name] === state[name]);

export const toRow = ({ state }: KnownRun) => ({
  ...state,
  models: JSON.stringify(state.models),
  marks: JSON.stringify(state.marks),
});

/** Saves runs. Of two with the same id, as when a sender names a run that the rule derives, the last stays. */
export async function saveRuns(session: Session, runs: readonly KnownRun[]): Promise<void> {
  const byKey = new Map(runs.map((run) => [`${run.state.id}\n${run.state.project}`, run]));
  const [inPlace, others]: [KnownRun[], KnownRun[]] = [[], []];
  for (const run of byKey.values()) (hasSameListColumns(run) ? inPlace : others).push(run);
  const update = updateRun(session);
  await pipeline([...inPlace.map((run) => update(toRow(run))), upsertRuns(session)(others.map(toRow))]);
  for (const run of others) run.listed = pickListed(run.state);
}

/** The newest derived run of a rule key that started at `until` or before. */
export async function derivedBefore(
  { db, t: { runs } }: Session,
  project: string,
  rule_key: string,
  until: Micros,
): Promise<RunState | null> {
  const [row] = await db
    .select()
    .from(runs)
    .where(
      and(
        eq(runs.project, project),
        eq(runs.rule_key, rule_key),
        isNotNull(runs.rule_key),
        lte(runs.started_at, until),
      ),
    )
    .orderBy(desc(runs.started_at))
    .limit(1);
  return row ? toState(row) : null;
}
