/** Who used a decision: the briefs that carried it, and the runs that were given them. */
import { type Static, Type } from "@sinclair/typebox";
import type { Caller } from "../../core/auth/caller.ts";
import { Cursor, cursorOf, pageOf, readCursor } from "../../core/lib/cursor.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { Limit, NextCursor, Nullable, RunId } from "../../core/wire.ts";
import { toRun } from "../../feed/runs/runs.ts";
import { Run } from "../../feed/runs/schema.ts";
import { countMax } from "../../library/review-queue/items.ts";
import { requireDecision } from "../../memory/decision-history.ts";
import { DecisionPath } from "../../memory/list-schemas.ts";
import type { OverviewContext } from "../context.ts";
import { RunDetail } from "./schema.ts";

export const DecisionUsesQuery = Type.Object({
  ...DecisionPath.properties,
  limit: Limit(50),
  cursor: Type.Optional(Cursor("[1-9][0-9]{0,15}")),
});
export type DecisionUsesQuery = Static<typeof DecisionUsesQuery>;

const DecisionUse = Type.Object({
  run_id: RunId("The run that was given the brief."),
  ...Type.Pick(RunDetail.properties.briefs.items, ["at", "hash", "chars"]).properties,
  run: Nullable(Run),
});
export type DecisionUse = Static<typeof DecisionUse>;

export const DecisionUses = Type.Object(
  {
    briefs: Type.Array(DecisionUse),
    count: Type.Integer({ minimum: 0, description: "Number of briefs on this page.", examples: [1] }),
    next_cursor: NextCursor,
  },
  { $id: "DecisionUses", description: "Newest first. A run without events yet is null." },
);
export type DecisionUses = Static<typeof DecisionUses>;

/** How many briefs of runs carried each of these decisions, counted up to 100, by their ids. */
export async function countUses(
  { data }: Pick<OverviewContext, "data">,
  decisions: readonly { id: number }[],
): Promise<ReadonlyMap<number, number>> {
  const ids = decisions.map(({ id }) => id);
  const counted = await data.decisionUses(ids, countMax);
  return new Map(counted.map(({ decision, uses }) => [decision, uses]));
}

/** One page of the briefs that carried a decision. Throws a 404 problem if the caller may not see it. */
export async function listDecisionUses(
  ctx: Pick<OverviewContext, "data" | "config" | "now">,
  { id, limit = 50, cursor }: DecisionUsesQuery,
  caller: Pick<Caller, "projects">,
): Promise<DecisionUses> {
  await requireDecision(ctx.data, id, caller);
  const rows = await ctx.data.briefsWithDecision(id, {
    limit: limit + 1,
    ...(cursor !== undefined && { before: Number(readCursor(cursor).rest) }),
  });
  const { page, next_cursor } = pageOf(rows, limit, (last) => cursorOf(last.at, String(last.id)));
  return {
    briefs: page.map(({ id: _, at, run, ...brief }) => ({
      ...brief,
      at: fromMicros(at),
      run: run && toRun(run, ctx),
    })),
    count: page.length,
    next_cursor,
  };
}
