/** Compares the daily sums of usage with the events, and rebuilds them: some days of all tables at a time. */
import { type SQL, sql } from "drizzle-orm";
import { dayMicros, dayOf, type Micros } from "../../src/core/lib/time.ts";
import { usageFieldNames } from "../../src/feed/usage/schema.ts";
import { sumMax } from "../../src/feed/usage/sums.ts";
import type { Session } from "../engine/session.ts";
import { areDerived } from "../feed/head.ts";
import { isPipelineId } from "../feed/runs/pipelines.ts";
import { type UsageTable, usageTableNames, usageTables } from "../feed/usage/sums.ts";
import { allRows, elements } from "../query/statements.ts";
import { type TellShare, WrongRows } from "../query/wrong-rows.ts";

const fields = sql.raw(usageFieldNames.join(", "));
const namesOf = (table: UsageTable): SQL => sql.raw(usageTables[table].join(", "));

/** What only the JSON of an event has. */
const jsonFields = {
  model: "text",
  person: "text",
  team: "text",
  tokens_in: "bigint",
  tokens_out: "bigint",
  cache_read: "bigint",
  cache_write: "bigint",
  cost_equiv: "double precision",
} as const;

/** The events of a slice that the sums include, as `counted`: what names their groups, and what is summed. */
function countedEvents(session: Session, slice: LogSlice): SQL {
  const { dialect } = session;
  // The UTC day of a timestamp; `%` is negative before 1970, hence the second modulo.
  const start = sql.raw(`(ts - ((ts % ${dayMicros}) + ${dayMicros}) % ${dayMicros}) / 1000000`);
  return sql`counted as materialized (
    select project, ${dialect.utcDay(start)} as day, coalesce(lane, '') as lane, coalesce(model, '') as model,
      actor, coalesce(issue, 0) as issue, case when issue is null then coalesce(pr, 0) else 0 end as pr,
      coalesce(person, '') as person, coalesce(team, '') as team, kind,
      ${isPipelineId(sql`run_id`)} as is_pipeline, tokens_in, tokens_out, cache_read, cache_write, cost_equiv
    from ${dialect.withJsonFields("events", "wire", jsonFields)}
    where project is not null and ${areDerived(session)} and ${slice.events})`;
}

/** What the rows of a table must hold by these events. */
function usageFromEvents({ dialect }: Session, table: UsageTable): SQL {
  const sum = (value: SQL) => dialect.cappedSum(value, sumMax);
  const countOf = (...kinds: string[]) =>
    sum(sql`case when kind in (${sql.join(kinds, sql`, `)}) and not is_pipeline then 1 else 0 end`);
  return sql`select ${namesOf(table)},
      ${countOf("run.finished", "run.failed")} as runs,
      ${countOf("run.failed")} as failures, ${countOf("pr.merged")} as merges,
      ${sum(sql`tokens_in`)} as tokens_in, ${sum(sql`tokens_out`)} as tokens_out,
      ${sum(sql`cache_read`)} as cache_read, ${sum(sql`cache_write`)} as cache_write,
      sum(cost_equiv) as cost_equiv
    from counted ${table === "person_usage" ? sql`where person <> '' or team <> ''` : sql``}
    group by ${namesOf(table)}`;
}

/** The projects and days whose sums differ from the events, as `name`: what is left of the one less the other. */
function wrongDays(session: Session, table: UsageTable, stored: SQL): SQL {
  const less = sql.raw(usageFieldNames.map((name) => `-${name}`).join(", "));
  const differ = usageFieldNames.map((name) =>
    // Floating-point sums depend on the order of their addends.
    name === "cost_equiv"
      ? "abs(sum(cost_equiv)) > 0.000001 * (1 + max(abs(cost_equiv)))"
      : `sum(${name}) <> 0`,
  );
  return sql`select project || ' ' || day as name from (
      select ${namesOf(table)}, ${fields} from (${usageFromEvents(session, table)}) as summed
      union all select ${namesOf(table)}, ${less} from ${sql.raw(table)} where ${stored}
    ) as ${sql.raw(`both_${table}`)} group by ${namesOf(table)} having ${sql.raw(differ.join(" or "))}`;
}

/** The projects and days whose sums differ. @param tables those that are checked */
export async function findWrongUsage(
  session: Session,
  tables: readonly UsageTable[],
  tellShare: TellShare,
  slices = slicesOfLog(session),
): Promise<WrongRows> {
  const found = new WrongRows();
  const projects = sql`select value from ${elements(session.dialect, await readProjects(session))}`;
  for await (const slice of slices) {
    // By project, as the key of a sum begins with it.
    const stored = sql`${session.dialect.isIn(sql`project`, projects)} and ${slice.days}`;
    const wrong = tables.map((table) => wrongDays(session, table, stored));
    await found.addFrom(session, sql.join(wrong, sql` union `), sql`with ${countedEvents(session, slice)}`);
    tellShare(slice.share);
  }
  return found;
}

/** The projects that have sums. */
async function readProjects(session: Session): Promise<string[]> {
  const queries = usageTableNames.map((table) => sql`select project from ${sql.raw(table)}`);
  const rows = await allRows<{ project: string }>(session, sql.join(queries, sql` union `));
  return rows.map(({ project }) => project);
}

/** Sums the usage of all events again. */
export async function rebuildUsage(session: Session): Promise<void> {
  const isUsed = sql.raw(usageFieldNames.map((name) => `${name} <> 0`).join(" or "));
  for (const table of usageTableNames) await allRows(session, sql`delete from ${sql.raw(table)}`);
  for await (const slice of slicesOfLog(session))
    for (const table of usageTableNames)
      await allRows(
        session,
        sql`with ${countedEvents(session, slice)}
          insert into ${sql.raw(table)} (${namesOf(table)}, ${fields})
          select ${namesOf(table)}, ${fields} from (${usageFromEvents(session, table)}) as summed
          where ${isUsed}`,
      );
}

/** Events of a slice, unless a day has more. Postgres keeps what it reads of so many in 20 MB. */
const usualEvents = 50_000;

interface LogSlice {
  /** The condition on the `ts` of its events, and that on the days of what is summed from them. */
  events: SQL;
  days: SQL;
  /** Of the log, with its own events. */
  share: number;
}

/**
 * The log in slices of whole UTC days: a statement for each reads a bounded part of a large one. Together,
 * they have all days: those before the first event and after the last one, too.
 */
export async function* slicesOfLog(session: Session, eventsMax = usualEvents): AsyncGenerator<LogSlice> {
  const total = await readNumber(session, sql`select id from feed_head`);
  let eventsSoFar = 0;
  for (let from: Micros | null = null; ; ) {
    const since = from === null ? sql`1 = 1` : sql`ts >= ${from}`;
    const next = await readNumber(
      session,
      sql`select ts from events where ${since} order by ts limit 1 offset ${sql.raw(`${eventsMax}`)}`,
    );
    const until: Micros | null = next === null ? null : endOf(from, next);
    const events = until === null ? since : sql`${since} and ts < ${until}`;
    const days = sql.join(
      [
        ...(from === null ? [] : [sql`day >= ${dayOf(from)}`]),
        ...(until === null ? [] : [sql`day < ${dayOf(until)}`]),
        sql`1 = 1`,
      ],
      sql` and `,
    );
    if (until !== null)
      eventsSoFar += (await readNumber(session, sql`select count(*) from events where ${events}`)) ?? 0;
    yield { events, days, share: until === null ? 1 : Math.min(1, eventsSoFar / (total || 1)) };
    if (until === null) return;
    from = until;
  }
}

/** The start of the day of an event, or the next one if the slice would have no day. */
function endOf(from: Micros | null, ts: Micros): Micros {
  const start = Math.floor(ts / dayMicros) * dayMicros;
  return from === null || start > from ? start : start + dayMicros;
}

async function readNumber(session: Session, query: SQL): Promise<number | null> {
  const [row] = await allRows<Record<string, number | string>>(session, query);
  return row ? Number(Object.values(row)[0]) : null;
}
