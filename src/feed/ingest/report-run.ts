/** Reports a run of an agent that has no other access than MCP, as events of the feed. */
import { actorOf, eventActor } from "../../core/auth/actor.ts";
import type { Caller } from "../../core/auth/caller.ts";
import { badRequest } from "../../core/problem.ts";
import type { FeedContext } from "../context.ts";
import type { OpenRun } from "../rows.ts";
import { findOwnRun } from "../runs/join-run.ts";
import type { EventInput } from "../schema.ts";
import { appendEvents } from "./append-events.ts";
import { type ReportedRun, type RunAction, type RunReport, runActions } from "./run-schema.ts";

/**
 * Appends the event of one action of a run. Repeating a call adds nothing, and neither does a second end of
 * the run. A session that hooks report has one start and one end, which they report: what its agent says is a
 * step of it, unless it failed.
 * @throws 400 for a step without a number, for a run without an id, and like `appendEvents`
 */
export async function reportRun(ctx: FeedContext, report: RunReport, caller: Caller): Promise<ReportedRun> {
  const { action, run, parent, step, by, ...fields } = report;
  if (action === "step" && step === undefined)
    throw badRequest("step is required for the action step: number the steps of the run from 1.");
  const actor = actorOf(caller, by);
  const session = await findSession(ctx, report, caller);
  const run_id = session?.id ?? run;
  if (run_id === undefined)
    throw badRequest("run is required, as hooks report no run of yours: choose an id for the run.");
  const event: EventInput = {
    ...fields,
    kind: session && action !== "fail" ? runActions.step : runActions[action],
    actor: session && by === undefined ? session.actor : eventActor(actor),
    run_id,
    ...(parent !== undefined && { parent_run_id: parent }),
    dedupe_key: `run:${run ?? run_id}:${session ? sessionPhase(report) : phaseOf(action, step)}`,
  };
  const nameOf = (_: number, field: string) => (field === "run_id" ? "run" : field);
  return { ...(await appendEvents(ctx, { events: [event] }, caller, nameOf)), run_id };
}

/** The session of the caller that hooks report, unless the report is of another run. */
async function findSession(
  ctx: FeedContext,
  { project, run, parent }: RunReport,
  caller: Caller,
): Promise<OpenRun | null> {
  if (parent !== undefined) return null;
  const own = await findOwnRun(ctx.data, ctx, caller, project);
  if (!own?.isHooked || run === undefined || run === own.id) return own?.isHooked ? own : null;
  return (await ctx.data.run(null, project, run)) ? null : own;
}

/** A run starts once and ends once, whether it finished or failed. */
const phaseOf = (action: RunAction, step: number | undefined): string =>
  action === "step" ? `step:${step}` : action === "start" ? "start" : "end";

/** A session can do several tasks, one after the other. */
function sessionPhase({ action, step, summary }: RunReport): string {
  const hash = new Bun.CryptoHasher("sha256").update(`${step} ${summary}`).digest("hex");
  return `${action}:${hash.slice(0, 16)}`;
}
