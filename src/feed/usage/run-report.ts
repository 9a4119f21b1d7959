/** Usage by run: the most expensive runs that started in a range. */
import type { Viewer } from "../../core/auth/caller.ts";
import { YieldBudget } from "../../core/lib/time-slices.ts";
import { badRequest } from "../../core/problem.ts";
import { issueOnly } from "../../core/task-key.ts";
import type { FeedReads } from "../port.ts";
import type { RunUsage, UsageFilter, UsageRange } from "../rows.ts";
import { isOpen } from "../runs/schema.ts";
import { readGroups, restKey, totalOf } from "./groups.ts";
import { piecesOf } from "./ranges.ts";
import type { UsageReport, UsageReportQuery, UsageReportRow } from "./schema.ts";
import { costPerMerge, difference, hasUsage, rounded, sumOf } from "./sums.ts";

type Query = UsageReportQuery & UsageRange & { filter: Omit<UsageFilter, "from" | "to">; limit: number };

/** Days read at a time, so that SQLite does not block other requests; see `pieceDays` of groups. */
const pieceDays = 31;

/**
 * The row of the rest is the total less the runs above it: work outside of runs is in it too.
 * @throws 400 for an interval or a comparison: a run is no sum of days
 */
export async function runReport(
  data: FeedReads,
  { from, to, filter, limit, interval, compare_from, compare_to }: Query,
  caller: Viewer,
): Promise<UsageReport> {
  if (interval) throw badRequest("by=run has no interval: each run is one row, on the day it started.");
  if (compare_from ?? compare_to)
    throw badRequest("by=run cannot be compared: a run is in one range. Compare by task or actor instead.");
  const range = { ...filter, from, to };
  const [listed, count, groups] = await Promise.all([
    listExpensiveRuns(data, { ...range, limit }, caller),
    countRuns(data, range, caller),
    readGroups(data, caller.projects, { ...range, by: "project", interval: null }),
  ]);
  const total = totalOf(groups);
  const rest = difference(total, sumOf(listed));
  const cost_per_merge = costPerMerge(rest);
  const restRow = {
    start: null,
    ...restKey,
    summary: null,
    rest: true,
    ...rest,
    cost_per_merge,
    compared: null,
  };
  const rows = hasUsage(rest) ? [...listed, restRow] : listed;
  return {
    from,
    to,
    by: "run",
    interval: null,
    total,
    compared: null,
    cost_per_merge: costPerMerge(total),
    unattributed: null,
    rows,
    count: rows.length,
    more: count - listed.length,
  };
}

export async function listExpensiveRuns(
  data: FeedReads,
  query: UsageFilter & { limit: number },
  { projects }: Viewer,
): Promise<UsageReportRow[]> {
  const budget = new YieldBudget(1);
  let runs: RunUsage[] = [];
  for (const piece of piecesOf(query, pieceDays)) {
    const found = await data.expensiveRuns(projects, { ...query, ...piece });
    // A stable sort: among equals, those of the earlier days stay first.
    runs = [...runs, ...found].sort((a, b) => b.cost_equiv - a.cost_equiv).slice(0, query.limit);
    await budget.spend(1);
  }
  return runs.map(rowOf);
}

async function countRuns(data: FeedReads, filter: UsageFilter, { projects }: Viewer): Promise<number> {
  const budget = new YieldBudget(1);
  let count = 0;
  for (const piece of piecesOf(filter, pieceDays)) {
    count += await data.countRuns(projects, { ...filter, ...piece });
    await budget.spend(1);
  }
  return count;
}

const rowOf = ({
  id,
  project,
  actor,
  issue,
  task,
  pr,
  lane,
  status,
  summary,
  ...usage
}: RunUsage): UsageReportRow => ({
  start: null,
  project,
  model: null,
  lane,
  actor,
  issue: issueOnly(issue),
  task,
  pr,
  run_id: id,
  team: null,
  person: null,
  summary,
  rest: false,
  ...rounded({
    runs: Number(!isOpen(status)),
    failures: Number(status === "failed"),
    merges: 0,
    ...usage,
  }),
  cost_per_merge: null,
  compared: null,
});
