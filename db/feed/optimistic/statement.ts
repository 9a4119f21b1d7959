/**
 * The statement of an optimistic append. Postgres runs it alone, so it commits with its one trip, and the
 * lock of `feed_head` is held for no longer than Postgres itself needs.
 *
 * The statement sees the rows of its start, from before it waited for the lock. So whatever others may have
 * changed meanwhile is checked by an update or a unique index, which look at the newest row: in READ
 * COMMITTED, Postgres checks the condition of an update again on a row that another transaction has just
 * changed. Ids and times are computed from the row of `feed_head` as it is then, so they rise in the order
 * of commits.
 * https://www.postgresql.org/docs/current/transaction-iso.html#XACT-READ-COMMITTED
 */

import type { SQL as Connection } from "bun";
import type { Table } from "drizzle-orm";
import type { Micros } from "../../../src/core/lib/time.ts";
import type { Session } from "../../engine/session.ts";
import { preparedStatement } from "../../query/prepared-statement.ts";
import { keepHigherRank } from "../tasks/pull-request-issues.ts";
import { addedTo } from "../usage/sums.ts";
import { auditColumns, cell, columnsOf, eventValues, runValues } from "./statement-values.ts";

export type Parameters = Record<Parameter, string | number>;

export interface Stored {
  isStored: true;
  /** Before the first event. */
  id: number;
  /** Of the first event. */
  ts: Micros;
  /** `feed_head.derived`. */
  derived: number;
}
/** Nothing was appended, because something was not as expected. */
interface NotStored {
  isStored: false;
  /** Whether an idempotency key or delivery id is in the feed. */
  hasDuplicates: boolean;
}

/**
 * Returns a function that runs it. It fails with a division by zero or a unique violation when another
 * process was faster by less than the wait for the lock, or a notice of a budget may be due; nothing is
 * appended then either.
 */
export const runStatement = preparedStatement((session) => {
  const text = statementText(session.t);
  // safe because: drizzle's clients of Postgres have it
  const { $client: connection } = session.db as unknown as { $client: Pick<Connection, "unsafe"> };
  return async (values: Parameters): Promise<Stored | NotStored> => {
    const list = parameters.map((name) => values[name]);
    const [row] = await connection.unsafe(text, list).values();
    const [hasDuplicates, id, ts, derived] = row as [boolean, ...(string | null)[]];
    if (id === null) return { isStored: false, hasDuplicates };
    return { isStored: true, id: Number(id), ts: Number(ts), derived: Number(derived) };
  };
});

/** The parameters, by their number. Lists are JSON texts. */
const parameters = [
  ...(["start", "count", "end", "budgets"] as const),
  ...(["keys", "deliveries", "projects", "issues", "pulls"] as const),
  ...(["events", "runs", "spending", "audit"] as const),
] as const;

type Parameter = (typeof parameters)[number];

const bound = (name: Parameter): string => `$${parameters.indexOf(name) + 1}`;

const number = (name: Parameter): string => `${bound(name)}::bigint`;

const elements = (name: Parameter): string => `jsonb_array_elements(${bound(name)}::text::jsonb)`;

const texts = (name: Parameter): string =>
  `any (array(select jsonb_array_elements_text(${bound(name)}::text::jsonb)))`;

function statementText({ events, runs, audit }: Session["t"]): string {
  const [start, count, end] = [number("start"), number("count"), number("end")];
  const first = `greatest(feed_head.ts + 1, ${start})`;
  return `with stored as (
    select exists (select 1 from events where dedupe_key = ${texts("keys")})
      or exists (select 1 from events where delivery_id = ${texts("deliveries")}) as found
  ), sent as (
    select value, ordinality - 1 as index from ${elements("events")} with ordinality
  ), expected as (
    select value ->> 0 as slug, (value ->> 1)::bigint as events, (value ->> 2)::bigint as more,
      (value ->> 3)::bigint as last
    from ${elements("projects")}
  ), reported as (
    select value ->> 0 as project, (value ->> 1)::bigint as number, (value ->> 2)::bigint as index,
      (value ->> 3)::boolean as open
    from ${elements("issues")}
  ), head as (
    update feed_head set id = feed_head.id + ${count}, ts = ${first} + ${count} - 1
    where one = 1 and budgets = ${number("budgets")}
      and ${first} + ${count} <= ${end} and not (select found from stored)
      and not exists (select 1 from expected where not exists (
        select 1 from projects where slug = expected.slug and events_count = expected.events))
    returning id - ${count} as id, ts - ${count} + 1 as ts, derived
  ), appended as (
    insert into events (${namesOf(events)}) select ${eventValues(events)} from sent, head
  ), posted as (
    insert into facet_events (facet, ts)
    select (value ->> ${columnsOf(events).length})::bigint, head.ts + sent.index from sent, head
  ), counted as (
    update projects set events_count = projects.events_count + expected.more,
      open_issues = projects.open_issues + (
        select coalesce(sum(reported.open::int - coalesce(before.open, false)::int), 0) from reported
        left join issues as before on before.project = reported.project and before.number = reported.number
        where reported.project = projects.slug),
      last_activity = greatest(projects.last_activity, head.ts + expected.last)
    from expected, head where projects.slug = expected.slug and projects.events_count = expected.events
    returning 1
  ), tracked as (
    insert into issues (project, number, ts, open)
    select reported.project, reported.number, head.ts + reported.index, reported.open from reported, head
    on conflict (project, number) do update set ts = excluded.ts, open = excluded.open
  ), linked as (
    insert into pull_request_issues (project, pr, issue, rank)
    select value ->> 0, (value ->> 1)::bigint, (value ->> 2)::bigint,
      (head.ts + abs((value ->> 3)::bigint) - 1) * sign((value ->> 3)::bigint)::bigint
    from ${elements("pulls")}, head
    ${keepHigherRank}
  ), folded as (
    insert into runs (${namesOf(runs)}) select ${runValues(runs, start, end)} from ${elements("runs")}, head
    on conflict (id, project) do update set ${replaced(runs)}
  ), spent as (
    insert into budget_periods (budget, start, spent, notified)
    select (value ->> 0)::bigint, value ->> 1, (value ->> 2)::double precision, 0
    from ${elements("spending")}, head
    on conflict (budget, start) do update set spent = ${addedTo("budget_periods", "spent")}
    returning budget, start, spent, notified
  ), due as (
    select 1 from ${elements("spending")} as more (value),
      jsonb_array_elements(more.value -> 3) as limits (value)
    join spent on spent.notified < (limits.value ->> 0)::bigint
      and spent.spent >= (limits.value ->> 1)::double precision
    where spent.budget = (more.value ->> 0)::bigint and spent.start = more.value ->> 1
  ), audited as (
    insert into audit (${auditColumns.join()})
    select ${auditColumns.map((name, index) => cell(audit[name], index)).join()}
    from ${elements("audit")}, head
  )
  select found, head.id, head.ts, head.derived,
    1 / (head.id is null or (select count(*) from counted) = (select count(*) from expected)
      and not exists (select 1 from due))::int
  from stored left join head on true`;
}

const namesOf = (table: Table): string =>
  columnsOf(table)
    .map(({ name }) => name)
    .join();

const replaced = (table: Table): string =>
  columnsOf(table)
    .filter(({ name }) => name !== "id" && name !== "project")
    .map(({ name }) => `${name} = excluded.${name}`)
    .join();
