/**
 * What a run is called. A summary of an agent, which can repeat a prompt, is never the title; people and
 * pipelines name their commands and workflows there.
 */
import { actorName } from "../../core/auth/actor-name.ts";
import type { RunRow } from "../rows.ts";
import type { Event } from "../schema.ts";
import { taskTitle } from "../tasks/task-title.ts";

type Titled = Pick<RunRow, "id" | "actor" | "branch" | "opened_task" | "summary" | "assets" | "decisions">;

/** The title of its task; else its branch; else its summary or, of an agent, what it made. */
export function titleOf({ id, actor, branch, opened_task, summary, assets, decisions }: Titled): string {
  const task = opened_task && taskTitle((JSON.parse(opened_task) as Event).summary);
  if (task || branch) return task || (branch as string);
  if (/^(human|runner):/.test(actor)) return summary || `Run ${id}`;
  const made = [counted(assets, "asset"), counted(decisions, "decision")].filter(Boolean).join(" and ");
  return made ? `${made} by ${actorName(actor)}` : `Run of ${actorName(actor)}`;
}

const counted = (count: number, noun: string): string =>
  count === 0 ? "" : `${count} ${noun}${count === 1 ? "" : "s"}`;
