/** Reads of runs, and of what belongs to one. */

import { and, asc, desc, eq, gt, inArray, lt, lte, sql } from "drizzle-orm";
import type { FeedReads } from "../../../src/feed/port.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, elements } from "../../query/sql.ts";
import { attempts } from "./attempts.ts";
import { runColumns, toRunRow } from "./columns.ts";
import { eventsOf } from "./events-of.ts";
import { openRuns } from "./open-runs.ts";
import { runPage } from "./pages.ts";
import { repairedSince } from "./repaired.ts";

export function runReads(session: Session) {
  const { db, t } = session;
  const { runs, events } = t;
  return {
    runs: (projects, query) => runPage(session, projects, query),
    async run(projects, project, id) {
      if (projects && !projects.includes(project)) return null;
      const [row] = await db
        .select(runColumns(session))
        .from(runs)
        .where(and(eq(runs.id, id), eq(runs.project, project)));
      return row ? toRunRow(row) : null;
    },
    openRuns: (project, token, since) => openRuns(session, project, token, since),
    repairedSince: (failures) => repairedSince(session, failures),
    async runPlaces(projects, ids) {
      if (ids.length === 0) return [];
      const rows = await db
        .select({ id: runs.id, project: runs.project, issue: runs.issue, pr: runs.pr })
        .from(runs)
        .where(session.dialect.isIn(runs.id, sql`select value from ${elements(session.dialect, ids)}`));
      return rows.filter(({ project }) => projects === null || projects.includes(project));
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
        .select({ id: events.id, ts: events.ts, wire: events.wire })
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
      return row && row.last_event_at >= at ? toRunRow(row) : null;
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
