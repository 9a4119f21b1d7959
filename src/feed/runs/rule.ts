/**
 * Runs of senders that give no `run_id`: the events of one project, actor and task from a `run.started` to
 * the first end after it, in the order of the feed. The next `run.started` takes over, and a day after its
 * start a run takes no more events, which bounds what deriving it again reads.
 */

import { dayMicros } from "../../core/lib/time.ts";
import { badRequest } from "../../core/problem.ts";
import { taskNumberOf } from "../../core/task-key.ts";
import type { EventKind, EventRow } from "../schema.ts";

/** The longest time from the start of such a run to its last event. */
export const derivedRunMicros = dayMicros;

export const derivedRunIdPrefix = "event:";

/**
 * @throws 400 for an id that only the service gives
 * @param field its name, as the caller knows it
 */
export function requireOwnRunId(id: string | null | undefined, field = "run_id"): void {
  if (id?.startsWith(derivedRunIdPrefix))
    throw badRequest(`${field}: the prefix ${derivedRunIdPrefix} is reserved; use another one.`);
}

/** The id of the run that this `run.started` begins. */
export const derivedRunId = ({ id }: Pick<EventRow, "id">): string => `${derivedRunIdPrefix}${id}`;

export const endKinds: ReadonlySet<EventKind> = new Set<EventKind>(["run.finished", "run.failed"]);

type Worker = Pick<EventRow, "actor" | "issue" | "pr"> & { task?: string | null };

/**
 * Actor and task: the issue or key or, without one, the pull request. An actor holds no space, so keys are
 * unambiguous.
 */
export function ruleKey({ actor, pr, ...named }: Worker): string {
  const issue = taskNumberOf(named);
  const task = issue !== null ? `issue ${issue}` : pr !== null ? `pr ${pr}` : "-";
  return `${actor} ${task}`;
}
