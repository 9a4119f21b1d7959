/** Usage by task: the most expensive tasks of a range that is neither split nor compared. */
import type { Viewer } from "../../core/auth/caller.ts";
import { issueOnly } from "../../core/task-key.ts";
import type { FeedReads } from "../port.ts";
import type { ProjectRange, TaskUsage, UsageRange } from "../rows.ts";
import { readGroups, restKey, totalOf } from "./groups.ts";
import { daysIn } from "./ranges.ts";
import type { UsageReport, UsageReportRow } from "./schema.ts";
import { costPerMerge, difference, rounded, sumOf } from "./sums.ts";

/** The tasks of a longer range are read a few days at a time. */
const rankedDaysMax = 62;

export const isRanked = (range: UsageRange): boolean => daysIn(range) <= rankedDaysMax;

type Query = ProjectRange & { limit: number };

export async function taskReport(
  data: FeedReads,
  { limit, ...range }: Query,
  caller: Viewer,
): Promise<UsageReport> {
  const listed = await listExpensiveTasks(data, { ...range, limit }, caller);
  // After it, as both follow from the same sums, which a process remembers.
  const [{ count, unattributed }, groups] = await Promise.all([
    data.countTasks(caller.projects, range),
    readGroups(data, caller.projects, { ...range, by: "project", interval: null }),
  ]);
  const total = totalOf(groups);
  const more = count - listed.length;
  const rest = difference(total, sumOf(listed));
  const cost_per_merge = costPerMerge(rest);
  const rows =
    more > 0
      ? [
          ...listed,
          { start: null, ...restKey, summary: null, rest: true, ...rest, cost_per_merge, compared: null },
        ]
      : listed;
  return {
    from: range.from,
    to: range.to,
    by: "task",
    interval: null,
    total,
    compared: null,
    cost_per_merge: costPerMerge(total),
    unattributed,
    rows,
    count: rows.length,
    more,
  };
}

export const listExpensiveTasks = async (
  data: FeedReads,
  query: Query,
  { projects }: Viewer,
): Promise<UsageReportRow[]> => (await data.expensiveTasks(projects, query)).map(rowOf);

function rowOf({ project, issue, task, pr, ...usage }: TaskUsage): UsageReportRow {
  return {
    start: null,
    ...restKey,
    project,
    issue: issueOnly(issue),
    task,
    pr: pr || null,
    summary: null,
    rest: false,
    ...rounded(usage),
    cost_per_merge: costPerMerge(usage),
    compared: null,
  };
}
