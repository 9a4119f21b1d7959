/** Reads of runs, and of what belongs to one. */
import { and, asc, desc, eq, gt, inArray, isNull, lt, lte, sql } from "drizzle-orm";
import type { Reads } from "../../../src/core/data.ts";
import type { Session } from "../../engine/session.ts";
import { rowColumns } from "../../library/assets/asset-pages.ts";
import { decisionColumns } from "../../memory/decision-pages.ts";
import { briefsOf } from "../../overview/runs/briefs.ts";
import { briefsWithDecision } from "../../overview/runs/decision-uses.ts";
import { allRows, elements } from "../../query/sql.ts";
import { attempts } from "./attempts.ts";
import { runColumns, toRunRow } from "./columns.ts";
import { eventsOf, taskOf } from "./events-of.ts";
import { openRuns } from "./open-runs.ts";
import { runPage } from "./pages.ts";
import { repairedSince } from "./repaired.ts";

type RunReads = Pick<
  Reads,
  | "runs"
  | "run"
  | "openRuns"
  | "repairedSince"
  | "runPlaces"
  | "projectsOfRun"
  | "runEvents"
  | "runAssets"
  | "runDecisions"
  | "runBriefs"
  | "briefByHash"
  | "briefsWithDecision"
  | "runRecalls"
  | "ruleRunAt"
  | "eventsInRuns"
  | "runAttempts"
>;

export function runReads(session: Session): RunReads {
  const { db, t } = session;
  const { runs, events, assets, decisions, recalls } = t;
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
    runAssets: (run, limit) =>
      db
        .select(rowColumns(session))
        .from(assets)
        .where(
          run.rule_key === null
            ? and(eq(assets.run_id, run.id), eq(assets.project, run.project))
            : and(
                eq(assets.project, run.project),
                inArray(assets.waiting, [0, 1]),
                sql`${assets.created_at} between ${run.started_at} and ${run.last_event_at}`,
                // A token is a bot in events.
                inArray(assets.created_by, [run.actor, run.actor.replace(/^bot:/, "token:")]),
                isNull(assets.run_id),
                taskOf(session, run, assets),
              ),
        )
        .orderBy(asc(assets.created_at), asc(assets.id))
        .limit(limit),
    runDecisions: (run, limit) =>
      db
        .select(decisionColumns(decisions))
        .from(decisions)
        .where(and(eq(decisions.run_id, run.id), eq(decisions.project, run.project)))
        .orderBy(asc(decisions.id))
        .limit(limit),
    runBriefs: (run, limit) => briefsOf(session, run, undefined, limit),
    async briefByHash(run, hash) {
      const [brief = null] = await briefsOf(session, run, hash, 1);
      return brief;
    },
    briefsWithDecision: (decision, page) => briefsWithDecision(session, decision, page),
    runRecalls: ({ project, id }, limit) =>
      db
        .select({ at: recalls.at, query: recalls.query, hits: recalls.hits })
        .from(recalls)
        .where(and(eq(recalls.run_id, id), eq(recalls.project, project)))
        .orderBy(asc(recalls.id))
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
  };
}
