/** Reports a run of an agent that has no other access than MCP, as events of the feed. */
import { actorOf, eventActor } from "../auth/actor.ts";
import type { Caller } from "../auth/caller.ts";
import type { Context } from "../context.ts";
import type { EventInput } from "../feed/schema.ts";
import { badRequest } from "../problem.ts";
import { appendEvents } from "./append-events.ts";
import { type RunAction, type RunReport, runActions } from "./run-schema.ts";
import type { AppendResult } from "./schema.ts";

/**
 * Appends the event of one action of a run. Repeating a call adds nothing, and neither does a second end of
 * the run.
 * @throws 400 for a step without a number, and like `appendEvents`
 */
export function reportRun(
  ctx: Context,
  { action, run, parent, step, by, ...fields }: RunReport,
  caller: Caller,
): Promise<AppendResult> {
  if (action === "step" && step === undefined)
    throw badRequest("step is required for the action step: number the steps of the run from 1.");
  const event: EventInput = {
    ...fields,
    kind: runActions[action],
    actor: eventActor(actorOf(caller, by)),
    run_id: run,
    ...(parent !== undefined && { parent_run_id: parent }),
    dedupe_key: `run:${run}:${phaseOf(action, step)}`,
  };
  return appendEvents(ctx, { events: [event] }, caller, (_, field) => (field === "run_id" ? "run" : field));
}

/** A run starts once and ends once, whether it finished or failed. */
const phaseOf = (action: RunAction, step: number | undefined): string =>
  action === "step" ? `step:${step}` : action === "start" ? "start" : "end";
