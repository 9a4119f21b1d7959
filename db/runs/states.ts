/** The states of runs as rows. */
import { and, desc, eq, getTableColumns, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../src/lib/time.ts";
import type { RunState } from "../../src/runs/fold.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement, preparedWrite } from "../query/prepared-statement.ts";

export type Stored = Session["t"]["runs"]["$inferSelect"];

export const toState = ({ models, marks, ...row }: Stored): RunState => ({
  ...row,
  models: JSON.parse(models),
  marks: JSON.parse(marks),
});

/** More than a transaction of appends can touch. */
const statesMax = 100_000;

/** A prepared read of the rows of runs whose condition takes one placeholder, a JSON list. */
const stateReader = (condition: (session: Session, list: SQL) => SQL) => {
  const prepared = preparedStatement((session) => {
    const { runs } = session.t;
    const list = session.dialect.jsonElements(sql.placeholder("list"));
    const query = session.db
      .select(getTableColumns(runs))
      .from(runs)
      .where(condition(session, list))
      .limit(sql.placeholder("limit"))
      .prepare();
    return session.dialect.reader<Stored>(session.db, query);
  });
  return async (session: Session, list: readonly (readonly string[])[]): Promise<RunState[]> => {
    if (list.length === 0) return [];
    const rows = await prepared(session)({ list: JSON.stringify(list), limit: statesMax });
    return rows.map(toState);
  };
};

/** The runs with these pairs of id and project. */
export const statesOf = stateReader(
  ({ t: { runs } }, list) =>
    sql`(${runs.id}, ${runs.project}) in (select value ->> 0, value ->> 1 from ${list})`,
);

/** The newest derived run of each pair of project and rule key. */
export const newestDerived = stateReader(
  ({ t: { runs } }, list) => sql`${runs.rule_key} is not null
    and (${runs.project}, ${runs.rule_key}, ${runs.started_at}) in (select value ->> 0, value ->> 1,
      (select max(newest.started_at) from runs as newest
        where newest.project = value ->> 0 and newest.rule_key = value ->> 1) from ${list})`,
);

const upsertState = preparedWrite(({ db, t: { runs } }) => {
  const names = Object.keys(getTableColumns(runs));
  const values = Object.fromEntries(names.map((name) => [name, sql.placeholder(name)]));
  const changed = names.filter((name) => name !== "id" && name !== "project");
  return db
    .insert(runs)
    .values(values as unknown as typeof runs.$inferInsert)
    .onConflictDoUpdate({
      target: [runs.id, runs.project],
      set: Object.fromEntries(changed.map((name) => [name, sql`excluded.${sql.identifier(name)}`])),
    })
    .prepare();
});

export const saveState = (session: Session, { models, marks, ...state }: RunState): Promise<unknown> =>
  upsertState(session)({ ...state, models: JSON.stringify(models), marks: JSON.stringify(marks) });

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
