/** Daily sums of usage, derived from events: by lane and model, by actor and task, and by person and team. */
import { getTableColumns, type SQL, type SQLWrapper, sql, type Table } from "drizzle-orm";
import { dayMicros, dayOf } from "../../../src/core/lib/time.ts";
import { isPipeline } from "../../../src/feed/runs/pipelines.ts";
import { endKinds } from "../../../src/feed/runs/rule.ts";
import type { EventRow } from "../../../src/feed/schema.ts";
import { type UsageSums, usageFieldNames } from "../../../src/feed/usage/schema.ts";
import { addSums, hasUsage, sumMax } from "../../../src/feed/usage/sums.ts";
import type { Session } from "../../engine/session.ts";
import { pipeline, preparedStatement } from "../../query/statements.ts";

/** The tables of daily sums, by the columns that name a group. */
export const usageTables = {
  usage: ["project", "day", "lane", "model"],
  task_usage: ["project", "day", "actor", "issue", "pr"],
  person_usage: ["project", "day", "person", "team"],
} as const;
export type UsageTable = keyof typeof usageTables;
export const usageTableNames = Object.keys(usageTables) as UsageTable[];

/** The SQL of an upsert that adds to a column, whose sum stops at `sumMax` instead of overflowing. */
export function addedTo(table: string, field: string): string {
  const [sum, more] = [`${table}.${field}`, `excluded.${field}`];
  return `case when ${sum} > ${sumMax} - ${more} then ${sumMax} else ${sum} + ${more} end`;
}

/** The sum of a column, which stops at `sumMax` as well. */
export const sumOfField = ({ dialect }: Session, column: SQLWrapper, field: string): SQL<number> =>
  (field === "cost_equiv" ? sql`sum(${column})` : dialect.cappedSum(sql`${column}`, sumMax)).mapWith(
    Number,
  ) as SQL<number>;

/** A statement that adds sums to the rows of their groups. */
const addTo = (name: UsageTable) =>
  preparedStatement(({ db, dialect, t }) => {
    const columns = Object.keys(getTableColumns<Table>(t[name]));
    const added = usageFieldNames.map((field) => `${field} = ${addedTo(name, field)}`);
    const insert = dialect.inserter(
      db,
      t[name],
      `on conflict (${usageTables[name].join(", ")}) do update set ${added.join(", ")}`,
    );
    // By key, so that neighbors in the table follow each other.
    return (sums: ReadonlyMap<string, Sum>) =>
      insert(
        [...sums].sort(byId).map(([, { key, usage }]) => {
          const row: Record<string, string | number> = { ...key, ...usage };
          return columns.map((column) => row[column] as string | number);
        }),
      );
  });

const addUsage = addTo("usage");
const addTaskUsage = addTo("task_usage");
const addPersonUsage = addTo("person_usage");
const additions = { usage: addUsage, task_usage: addTaskUsage, person_usage: addPersonUsage };

/** Adds a row to that of its group, which two groups become. */
export async function addUsageRow(
  session: Session,
  name: UsageTable,
  row: Record<string, unknown>,
): Promise<void> {
  // safe because: it is a row of that table
  const usage = Object.fromEntries(
    usageFieldNames.map((field) => [field, row[field]]),
  ) as unknown as UsageSums;
  const key = Object.fromEntries(usageTables[name].map((field) => [field, row[field]])) as Sum["key"];
  await additions[name](session)(new Map([["", { key, usage }]]));
}

/** What the usage of an event is summed from. */
export type UsageEvent = Pick<
  EventRow,
  | ("ts" | "kind" | "project" | "actor" | "lane" | "model" | "issue" | "pr" | "run_id" | "person" | "team")
  | ("tokens_in" | "tokens_out" | "cache_read" | "cache_write" | "cost_equiv")
>;

/**
 * Adds the usage of events to the sums of their day and project. Each event is counted by itself, so a
 * `run.finished` must not report again what its `step.usage` events reported.
 */
export async function recordUsage(session: Session, rows: readonly UsageEvent[]): Promise<void> {
  const byModel = new Map<string, Sum>();
  const byTask = new Map<string, Sum>();
  const byPerson = new Map<string, Sum>();
  let [day, dayEnd] = ["", Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    const { project, actor, lane, model, person, team } = row;
    const usage = usageOf(row);
    if (project === null || !hasUsage(usage)) continue;
    if (!(row.ts < dayEnd && row.ts >= dayEnd - dayMicros)) {
      day = dayOf(row.ts);
      dayEnd = (Math.floor(row.ts / dayMicros) + 1) * dayMicros;
    }
    const issue = row.issue ?? 0;
    const pr = row.issue === null ? (row.pr ?? 0) : 0;
    add(byModel, `${project} ${day} ${lane ?? ""}\n${model ?? ""}`, usage, () => ({
      project,
      day,
      lane: lane ?? "",
      model: model ?? "",
    }));
    add(byTask, `${project} ${day} ${issue} ${pr} ${actor}`, usage, () => ({
      project,
      day,
      actor,
      issue,
      pr,
    }));
    if (!person && !team) continue;
    add(byPerson, `${project} ${day} ${person ?? ""} ${team ?? ""}`, usage, () => ({
      project,
      day,
      person: person ?? "",
      team: team ?? "",
    }));
  }
  await pipeline([
    addUsage(session)(byModel),
    addTaskUsage(session)(byTask),
    ...(byPerson.size > 0 ? [addPersonUsage(session)(byPerson)] : []),
  ]);
}

const byId = ([a]: readonly [string, Sum], [b]: readonly [string, Sum]): number =>
  a < b ? -1 : Number(a > b);

/** The columns that name a group, and its sums: apart, so that all sums are objects of one shape. */
interface Sum {
  key: Record<string, string | number>;
  usage: UsageSums;
}

/** Adds to the sum of a key, so that a batch updates each row once. */
function add(
  sums: Map<string, Sum>,
  id: string,
  usage: UsageSums,
  key: () => Record<string, string | number>,
): void {
  const sum = sums.get(id);
  if (sum) addSums(sum.usage, usage);
  else sums.set(id, { key: key(), usage: { ...usage } });
}

const usageOf = (row: UsageEvent): UsageSums => ({
  tokens_in: row.tokens_in,
  tokens_out: row.tokens_out,
  cache_read: row.cache_read,
  cache_write: row.cache_write,
  cost_equiv: row.cost_equiv,
  runs: Number(endKinds.has(row.kind) && !isPipeline(row.run_id)),
  failures: Number(row.kind === "run.failed" && !isPipeline(row.run_id)),
  merges: Number(row.kind === "pr.merged"),
});
