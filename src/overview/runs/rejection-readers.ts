/** The runs that were given a rejection in a brief, in its first words or in later ones. */
import { fromMicros, toMicros } from "../../core/lib/time.ts";
import { toRun } from "../../feed/runs/runs.ts";
import type { Run } from "../../feed/runs/schema.ts";
import type { Asset } from "../../library/assets/schema.ts";
import type { OverviewContext } from "../context.ts";

export interface RejectionReader {
  run_id: string;
  /** Null until an event of the run comes. */
  run: Run | null;
  at: string;
  /** The id of the decision whose words its brief carried. */
  decision: number;
}

/** The newest readers first, at most `limit`. @param asset a rejected version that the caller has read */
export async function loadReaders(
  ctx: Pick<OverviewContext, "data" | "config" | "now">,
  { id, project, reviewed_at, set = null }: Asset,
  limit: number,
): Promise<RejectionReader[]> {
  if (project === null || reviewed_at === null) return [];
  const wordings = await ctx.data.rejectionDecisions(project, [
    { id, set, reviewed_at: toMicros(reviewed_at) },
  ]);
  const found = await Promise.all(
    wordings.map(async ({ id: decision }) =>
      (await ctx.data.briefsWithDecision(decision, { limit })).map((use) => ({ ...use, decision })),
    ),
  );
  const newest = found.flat().sort((a, b) => b.at - a.at);
  const byRun = new Map(newest.toReversed().map((use) => [use.run_id, use]));
  return [...byRun.values()]
    .sort((a, b) => b.at - a.at)
    .slice(0, limit)
    .map(({ run_id, run, at, decision }) => ({
      run_id,
      run: run && toRun(run, ctx),
      at: fromMicros(at),
      decision,
    }));
}
