/**
 * The run that a caller adds to without naming one: the only running run of its token and project. Subagents
 * and wrapped commands count for the run that started them. A session that hooks report says nothing between
 * its start and its end, so it is running for a day, unless another run of the token is more recent.
 */
import type { Caller } from "../../core/auth/caller.ts";
import { dayMicros } from "../../core/lib/time.ts";
import type { FeedContext } from "../context.ts";
import type { FeedReads } from "../port.ts";
import type { OpenRun } from "../rows.ts";
import { lostBefore } from "./runs.ts";

/**
 * Finds it, in the transaction that writes what is added to it.
 * @returns null if there is none, or several: a wrong run is worse than none
 */
export async function findOwnRun(
  reads: FeedReads,
  ctx: Pick<FeedContext, "config" | "now">,
  { name, source }: Pick<Caller, "name" | "source">,
  project: string,
): Promise<OpenRun | null> {
  // A person on the website may have signed in with the token of an agent.
  if (name === null || source?.via === "session") return null;
  const lost = lostBefore(ctx);
  const open = await reads.openRuns(project, name, Math.min(lost, ctx.now() - dayMicros));
  const recent = open.filter(({ last_event_at }) => last_event_at >= lost);
  const running = recent.length > 0 ? recent : open.filter(({ isHooked }) => isHooked);
  const [only, other] = running.filter(({ parent }) => !running.some(({ id }) => id === parent));
  // One without a `run_id` gets what is made by the rule.
  return only && !other && only.rule_key === null ? only : null;
}

/** The id of the run that something belongs to: the one that it names, else that of `findOwnRun`. */
export const runIdFor = async (
  reads: FeedReads,
  ctx: Pick<FeedContext, "config" | "now">,
  caller: Pick<Caller, "name" | "source">,
  { project, run_id }: { project: string; run_id?: string | null | undefined },
): Promise<string | null> => run_id ?? (await findOwnRun(reads, ctx, caller, project))?.id ?? null;
