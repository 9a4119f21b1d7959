/**
 * The tasks of a range of days by cost, from what a process remembers: the rows of each day, and what follows
 * from them for each project, until there is an event of the project.
 */
import { and, gte, lte, sql } from "drizzle-orm";
import { YieldBudget } from "../../../src/core/lib/time-slices.ts";
import type { UsageRange } from "../../../src/feed/rows.ts";
import { type UsageSums, usageFieldNames } from "../../../src/feed/usage/schema.ts";
import { boundedAdd, noUsage } from "../../../src/feed/usage/sums.ts";
import type { Session } from "../../engine/session.ts";
import { elements, noLimit, preparedStatement } from "../../query/statements.ts";
import { readFeedHead } from "../head.ts";
import { readIssuesOf } from "../tasks/pull-request-issues.ts";
import type { ProjectDay, ProjectTasks, TaskSum } from "./day-cache.ts";
import {
  byProjectAndDay,
  type DaySource,
  isRemembered,
  type RememberedDays,
  readRememberedDays,
} from "./remembered-days.ts";
import { type RememberedRanges, readRememberedRanges } from "./remembered-ranges.ts";
import { sumTasks } from "./summed-tasks.ts";

/** With more events, the rows of a month take more memory than a process has to spare. */
const eventsMax = 2_000_000;

/** The most that a report lists. */
const topMax = 200;

/** The tasks of each project that has any. Of many events or days, the database sums them. */
export async function readTasks(
  session: Session,
  slugs: readonly string[],
  range: UsageRange,
): Promise<RememberedRanges<"task">> {
  const head = await readFeedHead(session);
  const sum = (some: readonly string[]) => sumTasks(session, some, range, topMax);
  if (!isRemembered(slugs, range)) return { found: await sum(slugs), isPending: head.derived < head.id };
  const read = head.id > eventsMax ? sum : (some: string[]) => rankAll(session, some, range);
  return readRememberedRanges(session, "task", slugs, `${range.from} ${range.to}`, read, none);
}

const none: ProjectTasks = { count: 0, unattributed: noUsage(), top: [] };

async function rankAll(
  session: Session,
  slugs: string[],
  range: UsageRange,
): Promise<Map<string, ProjectTasks>> {
  const read = await readRememberedDays(session, dayTasks(session), slugs, range);
  const ranked = new Map<string, ProjectTasks>();
  const budget = new YieldBudget(1);
  for (const [project, days] of Map.groupBy(read.found, ({ project }) => project)) {
    ranked.set(project, await rankTasks(session, project, days, { from: range.from, version: read.version }));
    await budget.spend(1);
  }
  return ranked;
}

/** The cost is first: ranking reads it of every row, and the others of few. */
const fields = [
  "issue",
  "pr",
  "cost_equiv",
  ...usageFieldNames.filter((name) => name !== "cost_equiv"),
] as const;

const dayTasks = (session: Session): DaySource<"task"> => ({
  kind: "task",
  pieceDays: 2,
  none: new Float64Array(),
  async read(slugs, { from, to }) {
    const rows = await selectTasks(session)({ slugs: JSON.stringify(slugs), from, to, limit: noLimit });
    return byProjectAndDay(rows).map(({ at, rows }) => [at, packRows(rows)]);
  },
});

type Row = ProjectDay & Record<(typeof fields)[number], number>;

/** Rows of actors, in the order of the primary key: summing them by task would cost a sort. */
const selectTasks = preparedStatement(({ db, dialect, t: { task_usage } }) => {
  const { actor: _, ...columns } = task_usage;
  const slugs = sql`select value from ${elements(dialect, sql.placeholder("slugs"))}`;
  const { project, day, issue, pr } = columns;
  const sums = Object.fromEntries(usageFieldNames.map((field) => [field, task_usage[field]]));
  const query = db
    .select({ project, day, issue, pr, ...sums })
    .from(task_usage)
    .where(
      and(dialect.isIn(project, slugs), gte(day, sql.placeholder("from")), lte(day, sql.placeholder("to"))),
    )
    .limit(sql.placeholder("limit"));
  return dialect.reader<Row>(db, query.prepare());
});

/**
 * Rows one after the other: how many numbers follow, with a bit for each field that is not 0, then those
 * fields. Most fields are 0.
 */
function packRows(rows: readonly Row[]): Float64Array {
  const numbers: number[] = [];
  for (const row of rows) {
    const head = numbers.push(0) - 1;
    let bits = 0;
    for (let index = 0; index < fields.length; index++) {
      const value = row[fields[index] as (typeof fields)[number]];
      if (value === 0) continue;
      bits |= 1 << index;
      numbers.push(value);
    }
    numbers[head] = ((numbers.length - head - 1) << fields.length) | bits;
  }
  return Float64Array.from(numbers);
}

/** Calls back for each row, with its bits and the place of the first field after its issue and pull request. */
function eachRow(
  days: readonly Float64Array[],
  work: (issue: number, pr: number, numbers: Float64Array, bits: number, at: number) => void,
): void {
  for (const numbers of days)
    for (let head = 0; head < numbers.length; ) {
      const bits = numbers[head] as number;
      let at = head + 1;
      const issue = bits & 1 ? (numbers[at++] as number) : 0;
      const pr = bits & 2 ? (numbers[at++] as number) : 0;
      work(issue, pr, numbers, bits, at);
      head += 1 + (bits >> fields.length);
    }
}

/** A pull request without an issue is a task by this and its number, which no issue and no key has. */
const firstPull = 2 ** 32;

/** The number of the task of a row: that of its issue or key, or of its pull request. */
type TaskOf = (issue: number, pr: number) => number;

/**
 * Most events are of the last day: of the days before it, the tasks that this day has are summed, and the
 * others are those that were the most expensive before. Events may name the issue of a pull request later, so
 * it is looked up here.
 */
async function rankTasks(
  session: Session,
  project: string,
  found: RememberedDays<"task">["found"],
  { from, version }: Pick<UsageRange, "from"> & Pick<RememberedDays<"task">, "version">,
): Promise<ProjectTasks> {
  const { daySums } = session;
  const isCurrent = () => version !== null && daySums.version === version;
  const days = found.map(({ value }) => value);
  const [before, last] = [days.slice(0, -1), days.slice(-1)];
  const name = `${from} ${found.at(-1)?.day}`;
  const known = isCurrent() ? daySums.rangeOf("taskBefore", project, name) : undefined;
  const pulls = [...new Set([...(known?.issues.keys() ?? pullsOf(before)), ...pullsOf(last)])];
  const issueOf = await readIssuesOf(
    session,
    pulls.map((pr) => ({ project, pr })),
  );
  const issues = new Map(pulls.map((pr) => [pr, issueOf({ project, pr })]));
  const taskOf: TaskOf = (issue, pr) => (pr > 0 ? (issues.get(pr) ?? firstPull + pr) : issue);
  const isSame = known && [...known.issues].every(([pr, issue]) => issues.get(pr) === issue);
  const earlier = isSame ? known : { ...rankDays(before, taskOf), issues };
  if (!isSame && isCurrent()) daySums.setRange("taskBefore", project, name, earlier);
  const changed = new Set<number>();
  eachRow(last, (issue, pr) => changed.add(taskOf(issue, pr)));
  const sums = addRows(new Map(), before, taskOf, (task) => changed.has(task));
  const count = earlier.count + changed.size - sums.size;
  addRows(sums, last, taskOf);
  const others = earlier.top.filter(({ issue, pr }) => !changed.has(taskOf(issue, pr)));
  const top = topOf([...sums.values(), ...others]);
  const [least, leastBefore] = [top.at(topMax - 1), earlier.top.at(topMax - 1)];
  // A correction made a task cheaper: others may be among the most expensive instead.
  if (leastBefore && (!least || byExpense(least, leastBefore) > 0)) return rankDays(days, taskOf);
  return { count, unattributed: sums.get(0) ?? earlier.unattributed, top };
}

function pullsOf(days: readonly Float64Array[]): Set<number> {
  const pulls = new Set<number>();
  eachRow(days, (_, pr) => pr > 0 && pulls.add(pr));
  return pulls;
}

/**
 * A project may have ten thousand tasks: their costs are summed first, and then the other fields of those
 * alone that may be among the most expensive.
 */
function rankDays(days: readonly Float64Array[], taskOf: TaskOf): ProjectTasks {
  const costs = new Map<number, number>();
  eachRow(days, (issue, pr, numbers, bits, at) => {
    const task = taskOf(issue, pr);
    costs.set(task, (costs.get(task) ?? 0) + (bits & 4 ? (numbers[at] as number) : 0));
  });
  const least = leastOfTop([...costs.values()], topMax);
  const isListed = (task: number) => task === 0 || (costs.get(task) as number) >= least;
  const sums = addRows(new Map(), days, taskOf, isListed);
  return { count: costs.size, unattributed: sums.get(0) ?? noUsage(), top: topOf([...sums.values()]) };
}

/** Adds the rows of tasks to their sums. */
function addRows(
  sums: Map<number, TaskSum>,
  days: readonly Float64Array[],
  taskOf: TaskOf,
  isWanted: (task: number) => boolean = () => true,
): Map<number, TaskSum> {
  eachRow(days, (issue, pr, numbers, bits, at) => {
    const task = taskOf(issue, pr);
    if (!isWanted(task)) return;
    const sum = sums.getOrInsertComputed(task, () => ({
      ...noUsage(),
      ...(task > firstPull ? { issue: 0, pr: task - firstPull } : { issue: task, pr: 0 }),
    }));
    for (let index = 2, next = at; index < fields.length; index++) {
      if ((bits & (1 << index)) === 0) continue;
      const field = fields[index] as (typeof fields)[number];
      sum[field] = boundedAdd(sum[field], numbers[next++] as number);
    }
  });
  return sums;
}

function topOf(tasks: readonly TaskSum[]): TaskSum[] {
  const least = leastOfTop(
    tasks.map(({ cost_equiv }) => cost_equiv),
    topMax,
  );
  return tasks
    .filter(({ cost_equiv }) => cost_equiv >= least)
    .sort(byExpense)
    .slice(0, topMax);
}

/** The least of the `count` highest costs: to sort all of the tasks instead would take longer than to sum them. */
export const leastOfTop = (costs: readonly number[], count: number): number =>
  Float64Array.from(costs).sort().at(-count) ?? Number.NEGATIVE_INFINITY;

/** The most expensive first. */
export const byUsage = (a: UsageSums, b: UsageSums): number =>
  b.cost_equiv - a.cost_equiv || b.tokens_in + b.tokens_out - a.tokens_in - a.tokens_out;

/** As the database sorts them. */
const byExpense = (a: TaskSum, b: TaskSum): number =>
  byUsage(a, b) || compare(String(a.issue), String(b.issue)) || compare(String(a.pr), String(b.pr));

export const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
