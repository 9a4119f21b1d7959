/** Compares the daily sums of usage with the events, and rebuilds them. */
import { type SQL, sql } from "drizzle-orm";
import { dayMicros } from "../../src/core/lib/time.ts";
import { usageFieldNames } from "../../src/feed/usage/schema.ts";
import { sumMax } from "../../src/feed/usage/sums.ts";
import type { Session } from "../engine/session.ts";
import { areDerived } from "../feed/head.ts";
import { isPipelineId } from "../feed/runs/pipelines.ts";
import { type UsageTable, usageTables } from "../feed/usage/sums.ts";
import { allRows } from "../query/sql.ts";

const fields = sql.raw(usageFieldNames.join(", "));
const integers = usageFieldNames.filter((name) => name !== "cost_equiv");
const sumsDiffer = sql.raw(
  [
    ...integers.map((name) => `u.${name} <> c.${name}`),
    "abs(u.cost_equiv - c.cost_equiv) > 0.000001 * (1 + abs(c.cost_equiv))",
  ].join(" or "),
);
const hasSums = (alias: string): SQL =>
  sql.raw(usageFieldNames.map((name) => `${alias}.${name} <> 0`).join(" or "));

/** What the columns of a group hold for an event. */
const keyOf = ({ dialect }: Session) => ({
  project: sql`project`,
  lane: sql`coalesce(lane, '')`,
  model: sql`coalesce(${dialect.jsonField(sql`wire`, "model")}, '')`,
  actor: sql`actor`,
  issue: sql`coalesce(issue, 0)`,
  pr: sql`case when issue is null then coalesce(pr, 0) else 0 end`,
  person: sql`coalesce(${dialect.jsonField(sql`wire`, "person")}, '')`,
  team: sql`coalesce(${dialect.jsonField(sql`wire`, "team")}, '')`,
});

/** Usage summed from all events that the sums include: what a table of daily sums must hold. */
function usageFromEvents(session: Session, table: UsageTable): SQL {
  const { dialect } = session;
  // The UTC day of a timestamp; `%` is negative before 1970, hence the second modulo.
  const start = sql.raw(`(ts - ((ts % ${dayMicros}) + ${dayMicros}) % ${dayMicros}) / 1000000`);
  const values = { ...keyOf(session), day: dialect.utcDay(start) };
  const keys = usageTables[table].map((name) => sql`${values[name]} as ${sql.raw(name)}`);
  const sum = (value: SQL) => dialect.cappedSum(value, sumMax);
  const countOf = (...kinds: string[]) =>
    sum(sql`case when kind in (${sql.join(kinds, sql`, `)}) and not is_pipeline then events else 0 end`);
  const number = (name: string, type: string) =>
    sql`cast(${dialect.jsonField(sql`wire`, name)} as ${sql.raw(type)}) as ${sql.raw(name)}`;
  const columns = sql.join(
    [
      ...["tokens_in", "tokens_out", "cache_read", "cache_write"].map((name) => number(name, "bigint")),
      number("cost_equiv", "double precision"),
    ],
    sql`, `,
  );
  return sql`select ${namesOf(table)},
      ${countOf("run.finished", "run.failed")} as runs,
      ${countOf("run.failed")} as failures, ${countOf("pr.merged")} as merges,
      ${sum(sql`tokens_in`)} as tokens_in, ${sum(sql`tokens_out`)} as tokens_out,
      ${sum(sql`cache_read`)} as cache_read, ${sum(sql`cache_write`)} as cache_write,
      sum(cost_equiv) as cost_equiv
    from (select ${sql.join(keys, sql`, `)}, 1 as events,
        ${isPipelineId(sql`run_id`)} as is_pipeline, kind, ${columns}
      from events where project is not null and ${areDerived(session)}) as counted
    ${table === "person_usage" ? sql`where person <> '' or team <> ''` : sql``}
    group by ${sql.raw(usageTables[table].map((_, at) => at + 1).join(", "))}`;
}

const namesOf = (table: UsageTable): SQL => sql.raw(usageTables[table].join(", "));

/**
 * The projects and days whose sums differ from their events, as `name`. Sets of keys are compared: SQLite
 * would look each row up among all that an actor has in a project.
 */
export function wrongUsage(session: Session, table: UsageTable): SQL {
  const isSame = sql.raw(usageTables[table].map((key) => `u.${key} = c.${key}`).join(" and "));
  const summed = sql.raw(table);
  return sql`select name from (with counted as (${usageFromEvents(session, table)})
    select c.project || ' ' || c.day as name from counted as c left join ${summed} as u on ${isSame}
      where (u.project is null and (${hasSums("c")})) or ${sumsDiffer}
    union select project || ' ' || day from (
      select ${namesOf(table)} from ${summed} as u where ${hasSums("u")}
      except select ${namesOf(table)} from counted) as uncounted
  ) as ${sql.raw(`wrong_${table}`)}`;
}

/** Sums the usage of these events again. */
export async function rebuildUsage(session: Session, table: UsageTable): Promise<void> {
  const run = (statement: SQL) => allRows(session, statement);
  await run(sql`delete from ${sql.raw(table)}`);
  const counted = usageFromEvents(session, table);
  await run(
    sql`insert into ${sql.raw(table)} (${namesOf(table)}, ${fields})
      select ${namesOf(table)}, ${fields} from (${counted}) as c where ${hasSums("c")}`,
  );
}
