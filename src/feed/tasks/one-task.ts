/** A task is an issue or the task of a tracker, which has a key. */
import { badRequest } from "../../core/problem.ts";

/** @param field the name of `task`, as the caller knows it @throws 400 for both */
export function requireOneTask(
  { issue, task }: { issue?: number | null; task?: string | null },
  field = "task",
): void {
  if (issue != null && task != null)
    throw badRequest(`${field} cannot be given beside an issue: a task is one of both.`);
}
