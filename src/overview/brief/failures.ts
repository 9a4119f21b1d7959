/** The failures that a brief lists. */
import { taskNumberOf } from "../../core/task-key.ts";
import { isPipeline } from "../../feed/runs/pipelines.ts";
import { type Failure, toFailure, unrepairedFailures } from "../../feed/runs/repaired.ts";
import type { Event } from "../../feed/schema.ts";
import type { OverviewReads } from "../port.ts";

const failuresMax = 10;
/** How many are read to find those: a project can have far more failed pipelines than other failures. */
const failuresReadMax = 50;
const kinds = ["run.failed", "preview.failed"] as const;

/**
 * The newest failures: all of the issue first, then those of other tasks that are not repaired. A pipeline
 * that failed says something about the task of its branch only, so pipelines of other tasks are left out.
 */
export async function recentFailures(
  data: Pick<OverviewReads, "feed" | "repairedSince">,
  project: string,
  issue: number | undefined,
): Promise<Event[]> {
  const failuresOf = async (kind: (typeof kinds)[number]) => {
    const ofProject = await data.feed(null, { project, kind, limit: failuresReadMax });
    // A shorter page has all failures, also those of the issue.
    if (issue === undefined || ofProject.length < failuresReadMax) return ofProject;
    return [...ofProject, ...(await data.feed(null, { project, kind, issue, limit: failuresMax }))];
  };
  const pages = await Promise.all(kinds.map(failuresOf));
  const rows = new Map(pages.flat().map((row) => [row.ts, row]));
  const newest = [...rows.values()].toSorted((a, b) => b.ts - a.ts).map(toFailure);
  const open = new Set(await unrepairedFailures(data, [project], newest));
  const isOfIssue = (event: Event) => issue !== undefined && taskNumberOf(event) === issue;
  const isListed = (failure: Failure) =>
    isOfIssue(failure.event) || (open.has(failure) && !isPipeline(failure.event.run_id));
  const listed = newest.filter(isListed).map(({ event }) => event);
  return listed.toSorted((a, b) => Number(isOfIssue(b)) - Number(isOfIssue(a))).slice(0, failuresMax);
}
