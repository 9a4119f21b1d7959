/** Daily sums of usage, derived from events: by lane and model, and by actor and task. */
import { type Column, getTableColumns, type SQL, sql, type Table } from "drizzle-orm";
import type { EventRow } from "../../src/feed/schema.ts";
import { sumMax } from "../../src/lib/sums.ts";
import { dayMicros, dayOf } from "../../src/lib/time.ts";
import { type UsageSums, usageFieldNames } from "../../src/usage/schema.ts";
import { addSums, hasUsage } from "../../src/usage/sums.ts";
import type { Session } from "../engine/session.ts";
import { pipeline } from "../query/pipeline.ts";
import { placeholders, preparedWrite } from "../query/prepared-statement.ts";

/** The SQL of `sum + more`, at most `sumMax`. */
export const boundedSum = (sum: Column, more: SQL) => {
  const most = sql.raw(String(sumMax));
  return sql`case when ${sum} > ${most} - ${more} then ${most} else ${sum} + ${more} end`;
};

/** The tables of daily sums, by the columns that name a group. */
export const usageTables = {
  usage: ["project", "day", "lane", "model"],
  task_usage: ["project", "day", "actor", "issue", "pr"],
} as const;
export type UsageTable = keyof typeof usageTables;
export const usageTableNames = Object.keys(usageTables) as UsageTable[];

const addTo = (name: UsageTable) =>
  preparedWrite(({ db, t }) => {
    const table: Table = t[name];
    const columns: Record<string, Column> = getTableColumns(table);
    const keys = usageTables[name];
    return db
      .insert(table as typeof t.usage)
      .values(placeholders([...keys, ...usageFieldNames]) as unknown as typeof t.usage.$inferInsert)
      .onConflictDoUpdate({
        target: keys.map((key) => columns[key] as typeof t.usage.project),
        set: Object.fromEntries(
          usageFieldNames.map((field) => [
            field,
            boundedSum(columns[field] as Column, sql`excluded.${sql.identifier(field)}`),
          ]),
        ),
      })
      .prepare();
  });

const addUsage = addTo("usage");
const addTaskUsage = addTo("task_usage");

/** The fields of an event that its usage is summed by. */
export const usageEventFields = [
  ...["ts", "kind", "project", "actor", "lane", "model", "issue", "pr"],
  ...["tokens_in", "tokens_out", "cache_read", "cache_write", "cost_equiv"],
] as const satisfies (keyof EventRow)[];
export type UsageEvent = Pick<EventRow, (typeof usageEventFields)[number]>;

/**
 * Adds the usage of events to the sums of their day and project. Each event is counted by itself, so a
 * `run.finished` must not report again what its `step.usage` events reported.
 */
export async function recordUsage(session: Session, rows: readonly UsageEvent[]): Promise<void> {
  const byModel = new Map<string, Sum>();
  const byTask = new Map<string, Sum>();
  let [day, dayEnd] = ["", Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    const { project, actor, lane, model } = row;
    const usage = usageOf(row);
    if (project === null || !hasUsage(usage)) continue;
    if (!(row.ts < dayEnd && row.ts >= dayEnd - dayMicros)) {
      day = dayOf(row.ts);
      dayEnd = (Math.floor(row.ts / dayMicros) + 1) * dayMicros;
    }
    const issue = row.issue ?? 0;
    const pr = row.issue === null ? (row.pr ?? 0) : 0;
    add(byModel, `${project} ${day} ${lane ?? ""}\n${model ?? ""}`, usage, () => ({
      ...{ project, day, lane: lane ?? "", model: model ?? "" },
    }));
    add(byTask, `${project} ${day} ${issue} ${pr} ${actor}`, usage, () => ({
      project,
      day,
      actor,
      issue,
      pr,
    }));
  }
  const [saveUsage, saveTaskUsage] = [addUsage(session), addTaskUsage(session)];
  await pipeline([...[...byModel.values()].map(saveUsage), ...[...byTask.values()].map(saveTaskUsage)]);
}

type Sum = Record<string, string | number> & UsageSums;

/** Adds to the sum of a key, so that a batch updates each row once. */
function add(
  sums: Map<string, Sum>,
  id: string,
  usage: UsageSums,
  key: () => Record<string, string | number>,
): void {
  const sum = sums.get(id);
  if (sum) addSums(sum, usage);
  else sums.set(id, { ...key(), ...usage });
}

const usageOf = (row: UsageEvent): UsageSums => ({
  tokens_in: row.tokens_in,
  tokens_out: row.tokens_out,
  cache_read: row.cache_read,
  cache_write: row.cache_write,
  cost_equiv: row.cost_equiv,
  runs: Number(row.kind === "run.finished" || row.kind === "run.failed"),
  failures: Number(row.kind === "run.failed"),
  merges: Number(row.kind === "pr.merged"),
});
