/**
 * The tasks of a range of days by cost, from what a process remembers: the rows of each day, and what follows
 * from them for each project, until there is an event of the project.
 */
import { and, gte, lte, sql } from "drizzle-orm";
import { YieldBudget } from "../../../src/core/lib/time-slices.ts";
import type { UsageRange } from "../../../src/feed/rows.ts";
import { usageFieldNames } from "../../../src/feed/usage/schema.ts";
import { addSums, boundedAdd, noUsage } from "../../../src/feed/usage/sums.ts";
import type { Session } from "../../engine/session.ts";
import { noLimit, preparedStatement } from "../../query/prepared-statement.ts";
import { elements } from "../../query/sql.ts";
import { readFeedHead } from "../head.ts";
import { readIssuesOf } from "../tasks/pull-request-issues.ts";
import type { ProjectDay, ProjectTasks, TaskSum } from "./day-cache.ts";
import { byProjectAndDay, type DaySource, isRemembered, readRememberedDays } from "./remembered-days.ts";
import { type RememberedRanges, readRememberedRanges } from "./remembered-ranges.ts";

/** With more events, the tasks of a month take more memory than a process has to spare. */
const eventsMax = 2_000_000;

/** The most that a report lists. */
const topMax = 200;

/** @returns null where the database sums them: there are too many */
export async function readRememberedTasks(
  session: Session,
  slugs: readonly string[],
  range: UsageRange,
): Promise<RememberedRanges<"task"> | null> {
  if (!isRemembered(slugs, range) || (await readFeedHead(session)).id > eventsMax) return null;
  const name = `${range.from} ${range.to}`;
  return readRememberedRanges(
    session,
    "task",
    slugs,
    name,
    (missing) => rankAll(session, missing, range),
    none,
  );
}

const none: ProjectTasks = { count: 0, unattributed: noUsage(), top: [] };

async function rankAll(
  session: Session,
  slugs: string[],
  range: UsageRange,
): Promise<Map<string, ProjectTasks>> {
  const { found } = await readRememberedDays(session, dayTasks(session), slugs, range);
  const ranked = new Map<string, ProjectTasks>();
  const budget = new YieldBudget(1);
  for (const [project, days] of Map.groupBy(found, ({ project }) => project)) {
    const values = days.map(({ value }) => value);
    ranked.set(project, await rankTasks(session, project, values));
    await budget.spend(1);
  }
  return ranked;
}

const fields = ["issue", "pr", ...usageFieldNames] as const;

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

/** Rows one after the other: a bit for each field that is not 0, then those fields. Most fields are 0. */
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
    numbers[head] = bits;
  }
  return Float64Array.from(numbers);
}

type Sums = Map<number, TaskSum>;

/** Adds a row to the sum of its issue or pull request. @returns the place of the next row */
function addRow(numbers: Float64Array, head: number, byIssue: Sums, byPull: Sums): number {
  const bits = numbers[head] as number;
  let at = head + 1;
  const next = (field: number): number => ((bits & (1 << field)) === 0 ? 0 : (numbers[at++] as number));
  const [issue, pr] = [next(0), next(1)];
  const [sums, key] = pr > 0 ? [byPull, pr] : [byIssue, issue];
  let sum = sums.get(key);
  if (!sum) {
    sum = Object.assign(noUsage(), { issue, pr });
    sums.set(key, sum);
  }
  for (let index = 2; index < fields.length; index++) {
    if ((bits & (1 << index)) === 0) continue;
    const field = fields[index] as (typeof fields)[number];
    sum[field] = boundedAdd(sum[field], numbers[at++] as number);
  }
  return at;
}

/** Events may name the issue of a pull request later, so it is looked up here. */
async function rankTasks(
  session: Session,
  project: string,
  days: readonly Float64Array[],
): Promise<ProjectTasks> {
  const [byIssue, byPull]: [Sums, Sums] = [new Map(), new Map()];
  for (const numbers of days)
    for (let at = 0; at < numbers.length; ) at = addRow(numbers, at, byIssue, byPull);
  const issueOf = await readIssuesOf(
    session,
    [...byPull.keys()].map((pr) => ({ project, pr })),
  );
  for (const [pr, pull] of byPull) {
    const issue = issueOf({ project, pr });
    if (issue === null) continue;
    byPull.delete(pr);
    const sum = byIssue.get(issue);
    if (sum) addSums(sum, pull);
    else byIssue.set(issue, { ...pull, issue, pr: 0 });
  }
  const tasks = [...byIssue.values(), ...byPull.values()];
  return { count: tasks.length, unattributed: byIssue.get(0) ?? noUsage(), top: mostExpensive(tasks) };
}

function mostExpensive(tasks: TaskSum[]): TaskSum[] {
  // A project may have ten thousand: only those are sorted that may be among the first.
  const costs = Float64Array.from(tasks, ({ cost_equiv }) => cost_equiv).sort();
  const least = costs.at(-topMax) ?? Number.NEGATIVE_INFINITY;
  return tasks
    .filter(({ cost_equiv }) => cost_equiv >= least)
    .sort(byExpense)
    .slice(0, topMax);
}

/** As the database sorts them. */
const byExpense = (a: TaskSum, b: TaskSum): number =>
  b.cost_equiv - a.cost_equiv ||
  b.tokens_in + b.tokens_out - a.tokens_in - a.tokens_out ||
  compare(String(a.issue), String(b.issue)) ||
  compare(String(a.pr), String(b.pr));

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
