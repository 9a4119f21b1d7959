/** Usage by group and period, from the daily sums: no events are read. */
import { seesPersons } from "../../core/auth/persons.ts";
import { badRequest } from "../../core/problem.ts";
import type { FeedRule } from "../context.ts";
import { requireProject } from "../projects/projects.ts";
import type { UsageFilter, UsageRange } from "../rows.ts";
import { type Groups, readGroups, restKey, totalOf } from "./groups.ts";
import { comparedRange, periodsOf, rangeOf } from "./ranges.ts";
import { listExpensiveRuns, runReport } from "./run-report.ts";
import {
  ownerGroups,
  rowsMax,
  type UsageGroup,
  type UsageGroupKey,
  type UsageReport,
  type UsageReportQuery,
  type UsageReportRow,
  type UsageSums,
} from "./schema.ts";
import { costPerMerge, difference, hasUsage, noUsage, sumOf } from "./sums.ts";
import { isRanked, listExpensiveTasks, taskReport } from "./task-report.ts";

/** What a report is of: the rows of pages, not of the API, have the forms of an actor joined. */
type ReportQuery = UsageReportQuery & { joinsActors?: boolean };

/** @throws 400 for a range that cannot be reported, 404 for an unknown project */
export const usageReport: FeedRule<ReportQuery, UsageReport> = async (ctx, query, caller) => {
  const { by = "project", interval = null, limit = 50, project, joinsActors = false } = query;
  const range = rangeOf(query, ctx);
  if (project !== undefined) await requireProject(ctx.data, project, caller);
  const filter = filterOf(query);
  if (by === "run") return runReport(ctx.data, { ...query, ...range, filter, limit }, caller);
  const second = comparedRange(query, range);
  if (interval && second)
    throw badRequest("interval and compare_from cannot be used together: compare the totals of two ranges.");
  if (by === "task" && !interval && !second && isRanked(range))
    return taskReport(ctx.data, { ...range, ...filter, limit }, caller);
  const periods = interval ? periodsOf(range, interval) : [];
  requireFewRows(periods.length, limit);
  const read = (range: UsageRange) =>
    readGroups(ctx.data, caller.projects, {
      ...range,
      ...filter,
      by,
      interval,
      joinsActors,
      hidesPersons: seesPersons(caller, ctx.config) ? null : { own: caller.person },
    });
  const groups = await read(range);
  const before = second ? await read(second) : null;
  const keys = rankedKeys(groups, before);
  const lists = { top: keys.slice(0, limit), others: keys.slice(limit) };
  const rows = interval
    ? periods.flatMap((start) => rowsOfPeriod(groups, lists.top, start))
    : rowsOfRange(groups, before, lists);
  const total = totalOf(groups);
  return {
    ...range,
    by,
    interval,
    total,
    cost_per_merge: costPerMerge(total),
    unattributed: by === "task" ? unattributedOf(groups) : null,
    compared: second && before && { ...second, total: totalOf(before) },
    rows: rows.map((row) => ({ ...row, cost_per_merge: costPerMerge(row) })),
    count: rows.length,
    more: lists.others.length,
  };
};

type GivenFilter = { [Name in "project" | "team" | "person"]?: string | undefined };

/** @throws 400 for a group that the sums of a team or a person do not have */
function filterOf({
  by = "project",
  project,
  team,
  person,
}: GivenFilter & Pick<UsageReportQuery, "by">): Omit<UsageFilter, "from" | "to"> {
  if ((team ?? person) !== undefined && !(ownerGroups as readonly UsageGroup[]).includes(by))
    throw badRequest(`by must be one of ${ownerGroups.join(", ")} for the usage of a team or a person.`);
  return {
    ...(project !== undefined && { project }),
    ...(team !== undefined && { team }),
    ...(person !== undefined && { person }),
  };
}

/** The rows of the most expensive runs, or tasks, alone: a report sums and counts all others, too. */
export const listExpensive: FeedRule<
  UsageRange & GivenFilter & { by: "run" | "task"; limit: number },
  UsageReportRow[]
> = async (ctx, { by, limit, from, to, ...given }, caller) => {
  const query = { from, to, limit, ...filterOf({ ...given, by }) };
  if (by === "run") return listExpensiveRuns(ctx.data, query, caller);
  if (isRanked(query)) return listExpensiveTasks(ctx.data, query, caller);
  const { rows } = await usageReport(ctx, { ...query, by }, caller);
  return rows.filter(({ rest }) => !rest);
};

/** The usage of work that names no task. */
const unattributedOf = ({ totals }: Groups): UsageSums =>
  sumOf([...totals.values()].flatMap(({ key, sums }) => (isTask(key) ? [] : [sums])));

const isTask = ({ issue, task, pr }: UsageGroupKey): boolean => (issue ?? task ?? pr) !== null;

/** A row without the cost of a merge, which follows from the others. */
type SummedRow = Omit<UsageReportRow, "cost_per_merge">;

function requireFewRows(periods: number, limit: number): void {
  if (periods * limit <= rowsMax) return;
  throw badRequest(
    `${periods} periods of ${limit} groups are more than ${rowsMax} rows. ` +
      "Lower limit, or choose a longer interval.",
  );
}

/** The keys of all groups of both ranges: the most expensive first, then by tokens, then by name. */
function rankedKeys({ totals }: Groups, before: Groups | null): string[] {
  const earlier: Groups["totals"] = before?.totals ?? new Map();
  // There may be thousands of tasks: what is compared is looked up once for each.
  const ranked = [...new Set([...totals.keys(), ...earlier.keys()])].map((key) => {
    const { cost_equiv, tokens_in, tokens_out } = totals.get(key)?.sums ?? noUsage();
    const earlierCost = billionths(earlier.get(key)?.sums.cost_equiv ?? 0);
    return { key, cost: billionths(cost_equiv), tokens: tokens_in + tokens_out, earlierCost };
  });
  ranked.sort(
    (a, b) =>
      b.cost - a.cost || b.tokens - a.tokens || b.earlierCost - a.earlierCost || (a.key < b.key ? -1 : 1),
  );
  return ranked.map(({ key }) => key);
}

/** As shown: sums of the same costs differ in their last digits, by the order in which they were added. */
const billionths = (cost: number): number => Math.round(cost * 1e9);

/** The keys of the groups with rows of their own, and of those in the row of the rest. */
interface Lists {
  top: string[];
  others: string[];
}

function rowsOfRange({ totals }: Groups, before: Groups | null, { top, others }: Lists): SummedRow[] {
  const usage = (groups: Groups["totals"], keys: string[]) =>
    sumOf(keys.flatMap((key) => groups.get(key)?.sums ?? []));
  const row = (keys: string[]) => ({
    ...usage(totals, keys),
    compared: before && usage(before.totals, keys),
  });
  const groups = top.map((key) => {
    const named = totals.get(key) ?? before?.totals.get(key);
    return { start: null, ...(named?.key ?? restKey), summary: null, rest: false, ...row([key]) };
  });
  return others.length === 0
    ? groups
    : [...groups, { start: null, ...restKey, summary: null, rest: true, ...row(others) }];
}

function rowsOfPeriod({ totals, periods }: Groups, top: string[], start: string): SummedRow[] {
  const parts = periods.get(start) ?? [];
  const row = { start, compared: null };
  const groups = top.flatMap((key) => {
    const found = parts.flatMap(({ sums }) => sums.get(key) ?? []);
    return found.length > 0
      ? [{ ...row, ...(totals.get(key)?.key ?? restKey), summary: null, rest: false, ...sumOf(found) }]
      : [];
  });
  const rest = difference(sumOf(parts.map(({ total }) => total)), sumOf(groups));
  return hasUsage(rest) ? [...groups, { ...row, ...restKey, summary: null, rest: true, ...rest }] : groups;
}
