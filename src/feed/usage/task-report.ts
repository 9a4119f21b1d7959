/** Usage by task: the most expensive tasks of a range that is neither split nor compared. */
import type { Caller } from "../../core/auth/caller.ts";
import { issueOnly } from "../../core/task-key.ts";
import type { FeedReads } from "../port.ts";
import type { TaskUsage, UsageRange } from "../rows.ts";
import { readGroups, restKey, totalOf } from "./groups.ts";
import { daysIn } from "./ranges.ts";
import type { UsageReport, UsageReportRow } from "./schema.ts";
import { costPerMerge, difference, rounded, sumOf } from "./sums.ts";

/** The tasks of a longer range are read a few days at a time. */
const rankedDaysMax = 62;

export const isRanked = (range: UsageRange): boolean => daysIn(range) <= rankedDaysMax;

type Query = UsageRange & { project?: string; limit: number };

export async function taskReport(
  data: FeedReads,
  { limit, ...range }: Query,
  { projects }: Pick<Caller, "projects">,
): Promise<UsageReport> {
  const [{ tasks, count, unattributed }, groups] = await Promise.all([
    data.expensiveTasks(projects, { ...range, limit }),
    readGroups(data, projects, { ...range, by: "project", interval: null }),
  ]);
  const total = totalOf(groups);
  const listed = tasks.map(rowOf);
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
