/** Reads of what a run was told and made. */

import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import type { OverviewReads } from "../../../src/overview/port.ts";
import type { Session } from "../../engine/session.ts";
import { taskOf } from "../../feed/runs/events-of.ts";
import { rowColumns } from "../../library/assets/asset-pages.ts";
import { decisionColumns } from "../../memory/decision-pages.ts";
import { briefsOf } from "./briefs.ts";
import { briefsWithDecision } from "./decision-uses.ts";

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
    runRecalls: ({ project, id }, limit) =>
      db
        .select({ at: recalls.at, query: recalls.query, hits: recalls.hits })
        .from(recalls)
        .where(and(eq(recalls.run_id, id), eq(recalls.project, project)))
        .orderBy(asc(recalls.id))
        .limit(limit),
  } satisfies Partial<OverviewReads>;
}
