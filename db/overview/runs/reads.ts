/** Reads of what a run was told and made. */

import { and, asc, desc, eq, inArray, isNull, lt, notLike, sql } from "drizzle-orm";
import { cachedBriefPrefix } from "../../../src/core/runs/reported-run.ts";
import type { RunRow } from "../../../src/feed/rows.ts";
import type { OverviewReads } from "../../../src/overview/port.ts";
import type { BriefRow, DecisionUseRow } from "../../../src/overview/rows.ts";
import type { Session } from "../../engine/session.ts";
import { runColumns, toRunRows } from "../../feed/runs/columns.ts";
import { taskOf } from "../../feed/runs/events-of.ts";
import { rowColumns } from "../../library/assets/asset-pages.ts";
import { decisionColumns } from "../../memory/decision-pages.ts";
import { allRows, elements, literalCount } from "../../query/statements.ts";

export function runMemoryReads(session: Session) {
  const { db, t } = session;
  const { assets, decisions, recalls } = t;
  return {
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
    decisionUses: (decisions, max) => decisionUses(session, decisions, max),
    runRecalls: ({ project, id }, limit) =>
      db
        .select({ at: recalls.at, query: recalls.query, hits: recalls.hits })
        .from(recalls)
        .where(and(eq(recalls.run_id, id), eq(recalls.project, project)))
        .orderBy(asc(recalls.id))
        .limit(limit),
  } satisfies Partial<OverviewReads>;
}

/** The briefs of a run, oldest first. @param hash only the one with this text */
async function briefsOf(
  { db, t: { briefs, brief_decisions } }: Session,
  { project, id: run }: Pick<RunRow, "project" | "id">,
  hash: string | undefined,
  limit: number,
): Promise<BriefRow[]> {
  const { id, at, chars, text } = briefs;
  const rows = await db
    .select({ id, at, hash: briefs.hash, chars, text })
    .from(briefs)
    .where(
      and(
        eq(briefs.run_id, run),
        eq(briefs.project, project),
        hash === undefined ? undefined : eq(briefs.hash, hash),
      ),
    )
    // One brief needs no order: with one, Postgres walks the briefs of the run instead of finding the hash.
    .orderBy(...(hash === undefined ? [asc(id)] : []))
    .limit(limit);
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const carried = await db
    .select({ brief: brief_decisions.brief, decision: brief_decisions.decision })
    .from(brief_decisions)
    .where(inArray(brief_decisions.brief, ids))
    .orderBy(asc(brief_decisions.decision));
  const byBrief = Map.groupBy(carried, ({ brief }) => brief);
  return rows.map(({ id: brief, ...row }) => ({
    ...row,
    decisions: (byBrief.get(brief) ?? []).map(({ decision }) => decision),
  }));
}

/** For each decision the start of a range of the primary key of `brief_decisions`. */
async function decisionUses(
  session: Session,
  decisions: readonly number[],
  max: number,
): Promise<{ decision: number; uses: number }[]> {
  if (decisions.length === 0) return [];
  const carrying = sql`select 1 from brief_decisions join briefs on briefs.id = brief
    where decision = cast(element.value as bigint) and briefs.run_id not like ${`${cachedBriefPrefix}%`}
    limit ${literalCount(max)}`;
  return allRows(
    session,
    sql`select cast(value as bigint) as decision, (select count(*) from (${carrying}) as carrying) as uses
      from ${elements(session.dialect, decisions)}`,
  );
}

/** Newest first: a range of the primary key of `brief_decisions`. */
async function briefsWithDecision(
  session: Session,
  decision: number,
  { before, limit }: { before?: number; limit: number },
): Promise<DecisionUseRow[]> {
  const {
    db,
    t: { brief_decisions, briefs, runs },
  } = session;
  const { id, at, hash, chars, run_id } = briefs;
  const rows = await db
    .select({ brief: { id, at, hash, chars, run_id }, run: runColumns(session) })
    .from(brief_decisions)
    .innerJoin(briefs, eq(id, brief_decisions.brief))
    .leftJoin(runs, and(eq(runs.id, run_id), eq(runs.project, briefs.project)))
    .where(
      and(
        eq(brief_decisions.decision, decision),
        notLike(run_id, `${cachedBriefPrefix}%`),
        before === undefined ? undefined : lt(brief_decisions.brief, before),
      ),
    )
    .orderBy(desc(brief_decisions.brief))
    .limit(limit);
  const found = await toRunRows(
    session,
    rows.flatMap(({ run }) => run ?? []),
  );
  const byId = new Map(found.map((run) => [run.id, run]));
  return rows.map(({ brief }) => ({ ...brief, run: byId.get(brief.run_id) ?? null }));
}
