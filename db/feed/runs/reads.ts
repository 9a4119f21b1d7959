/** Reads of runs, and of what belongs to one. */

import type { SQL } from "drizzle-orm";
import { and, asc, desc, eq, gt, gte, inArray, isNotNull, lt, lte, sql } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { FeedReads } from "../../../src/feed/port.ts";
import type { OpenRun, RunRow } from "../../../src/feed/rows.ts";
import type { RunMarks } from "../../../src/feed/runs/fold.ts";
import { startOfMinute } from "../../../src/feed/runs/position.ts";
import type { Direction } from "../../dialect/index-range.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, elements, preparedStatement } from "../../query/statements.ts";
import { backfilledAt } from "../backfilled.ts";
import { withTaskKeys } from "../tasks/task-keys.ts";
import { runColumns, toOneRunRow, toRunRows } from "./columns.ts";
import { eventsOf } from "./events-of.ts";
import { outlinePage } from "./outlines.ts";
import { runPage } from "./pages.ts";
import { repairedSince } from "./repaired.ts";
import { filesOf, type Stored } from "./states.ts";
import { taskPositions } from "./task-positions.ts";

/** A search reads ten of them. */
const oneRun = preparedStatement((session) => {
  const { runs } = session.t;
  const { id, project } = runs;
  return session.db
    .select(runColumns(session))
    .from(runs)
    .where(and(eq(id, sql.placeholder("id")), eq(project, sql.placeholder("project"))))
    .prepare();
});

const selectFiles = preparedStatement(({ db, dialect, t: { runs } }) => {
  const { id, project, files } = runs;
  const ids = sql`select value from ${elements(dialect, sql.placeholder("ids"))}`;
  const query = db
    .select({ id, files })
    .from(runs)
    .where(and(dialect.isIn(id, ids), eq(project, sql.placeholder("project")), isNotNull(files)))
    .limit(sql.placeholder("limit"));
  return dialect.reader<Pick<Stored, "id" | "files">>(db, query.prepare());
});

const hasId = ({ dialect, t: { runs } }: Session) =>
  dialect.isIn(runs.id, sql`select value from ${elements(dialect, sql.placeholder("ids"))}`);

const selectByIds = preparedStatement((session) =>
  session.db.select(runColumns(session)).from(session.t.runs).where(hasId(session)).prepare(),
);

const selectPlaces = preparedStatement((session) => {
  const { id, project, issue, pr, ended_at, marks } = session.t.runs;
  const columns = { id, project, issue, pr, ended_at, marks };
  return session.db.select(columns).from(session.t.runs).where(hasId(session)).prepare();
});

export function runReads(session: Session) {
  const { db, t } = session;
  const { runs, events } = t;
  return {
    runs: (projects, query) => runPage(session, projects, query),
    runOutlines: (projects, query) => outlinePage(session, projects, query),
    async runsByIds(wanted) {
      if (wanted.length === 0) return [];
      const rows = await selectByIds(session).execute({ ids: JSON.stringify(wanted.map(({ id }) => id)) });
      const found = new Map((await toRunRows(session, rows)).map((run) => [`${run.project} ${run.id}`, run]));
      return wanted.flatMap((run) => found.get(`${run.project} ${run.id}`) ?? []);
    },
    async run(projects, project, id) {
      if (projects && !projects.includes(project)) return null;
      const [row] = await oneRun(session).execute({ id, project });
      return toOneRunRow(session, row);
    },
    async runFiles(project, ids) {
      if (ids.length === 0) return new Map();
      const rows = await selectFiles(session)({ ids: JSON.stringify(ids), project, limit: ids.length });
      return new Map(rows.map((row) => [row.id, filesOf(row)]));
    },
    openRuns: (project, token, since) => openRuns(session, project, token, since),
    repairedSince: (failures) => repairedSince(session, failures),
    backfilledAt: (times) => backfilledAt(session, times),
    async runPlaces(projects, ids) {
      if (ids.length === 0) return [];
      const rows = await selectPlaces(session).execute({ ids: JSON.stringify(ids) });
      const visible = rows.filter(({ project }) => projects === null || projects.includes(project));
      return (await withTaskKeys(session, visible)).map(({ marks, ...row }) => ({
        ...row,
        isReported: marksOf(marks).state !== undefined,
        isHooked: isHooked(marks),
      }));
    },
    async projectsOfRun(projects, id, limit) {
      const visible = projects ? inArray(runs.project, [...projects]) : undefined;
      const rows = await db
        .select({ project: runs.project })
        .from(runs)
        .where(and(eq(runs.id, id), visible))
        .orderBy(asc(runs.project))
        .limit(limit);
      return rows.map(({ project }) => project);
    },
    runEvents: (run, { after, before, order = "oldest first", limit }) =>
      db
        .select({ id: events.id, ts: events.ts, wire: events.wire, payload: events.payload })
        .from(events)
        .where(
          and(
            eventsOf(session, run),
            after === undefined ? undefined : gt(events.ts, after),
            before === undefined ? undefined : lt(events.ts, before),
          ),
        )
        .orderBy(order === "oldest first" ? asc(events.ts) : desc(events.ts))
        .limit(limit),
    async ruleRunAt(project, ruleKey, at) {
      const [row] = await db
        .select(runColumns(session))
        .from(runs)
        .where(and(eq(runs.project, project), eq(runs.rule_key, ruleKey), lte(runs.started_at, at)))
        .orderBy(desc(runs.started_at))
        .limit(1);
      return row && row.last_event_at >= at ? toOneRunRow(session, row) : null;
    },
    async eventsInRuns(list) {
      if (list.length === 0) return new Set();
      const json = JSON.stringify(list.map(({ project, rule_key, ts }) => [project, rule_key, ts]));
      const ts = sql`cast(value ->> 2 as bigint)`;
      const found = await allRows<{ ts: number | string }>(
        session,
        sql`select ${ts} as ts from ${session.dialect.jsonElements(json)} where ${ts} <= (
          select one.last_event_at from runs as one
          where one.project = value ->> 0 and one.rule_key = value ->> 1 and one.started_at <= ${ts}
          order by one.started_at desc limit 1)`,
      );
      return new Set(found.map((row) => Number(row.ts)));
    },
    runAttempts: (run) => attempts(session, run),
  } satisfies Partial<FeedReads>;
}

/** The runs before and after one on its task, by `listed_at`. */
async function attempts(
  session: Session,
  run: RunRow,
): Promise<{ previous: RunRow | null; next: RunRow | null }> {
  const { runs } = session.t;
  const { project, pr, listed_at } = run;
  const issue = run.issue ?? run.issue_of_pr;
  const one = async (direction: Direction) => {
    const position = sql`${listed_at}`;
    const bounds = {
      before: direction === "newest first" ? position : undefined,
      after: direction === "oldest first" ? position : undefined,
    };
    if (issue !== null) {
      const [at] = await taskPositions(session, { issue, project }, bounds, direction, 1);
      return at === undefined ? null : runAt(session, eq(runs.listed_at, at));
    }
    const { where, order } = session.dialect.indexRange(
      { key: { column: runs.pr, value: sql`${pr}` }, isOnlyIndex: true, ts: runs.listed_at, ...bounds },
      direction,
    );
    return runAt(session, and(where, sql`${session.dialect.unindexed(runs.project)} = ${project}`), order);
  };
  if (issue === null && pr === null) return { previous: null, next: null };
  const [previous, next] = [await one("newest first"), await one("oldest first")];
  return { previous, next };
}

async function runAt(session: Session, where: SQL | undefined, order?: SQL): Promise<RunRow | null> {
  const query = session.db.select(runColumns(session)).from(session.t.runs).where(where).$dynamic();
  const [row] = await (order ? query.orderBy(order) : query).limit(1);
  return toOneRunRow(session, row);
}

/** Of several runs none is joined, so this is more than the runs that a session and its subagents are. */
const openMax = 100;

/** Newest first: a range of the index `runs_token`. */
const selectOpenRuns = preparedStatement(({ db, t: { runs } }) => {
  const { id, actor, parent, rule_key, last_event_at, marks, token, project, listed_at } = runs;
  const [ofToken, ofProject] = [eq(token, sql.placeholder("token")), eq(project, sql.placeholder("project"))];
  return db
    .select({ id, actor, parent, rule_key, last_event_at, marks })
    .from(runs)
    .where(and(ofToken, ofProject, gte(listed_at, sql.placeholder("since"))))
    .orderBy(desc(listed_at))
    .limit(openMax)
    .prepare();
});

async function openRuns(session: Session, project: string, token: string, since: Micros): Promise<OpenRun[]> {
  const rows = await selectOpenRuns(session).execute({ project, token, since: startOfMinute(since) });
  return rows
    .filter((row) => row.last_event_at >= since)
    .map(({ marks, ...row }) => ({ ...row, isHooked: isHooked(marks) }));
}

const marksOf = (marks: string): RunMarks => JSON.parse(marks) as RunMarks;

/** Whether hooks of an agent report it. */
const isHooked = (marks: string): boolean => marksOf(marks).token?.[0] === 1;
