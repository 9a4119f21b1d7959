/** Pages of the feed by several filters, or of several projects: merged from the ends of the lists that fit. */
import { and, type SQL, sql } from "drizzle-orm";
import type { FeedFilter, Rendered } from "../src/rows.ts";
import type { Micros } from "../src/time.ts";
import { filters } from "./facets.ts";
import { allRows } from "./rows.ts";
import type { Session } from "./session.ts";
import { type Direction, stretch } from "./stretch.ts";

/** What a page is asked for. `projects`: of these alone. */
export interface Asked extends FeedFilter {
  projects: readonly string[] | null;
  before?: Micros;
  after?: Micros;
  limit: number;
}

/** So many lists are merged at once; where more of them fit, what is asked for is likely among the next events. */
const listsMax = 64;
const nextEvents = 1_000;

/** A page by several filters, or of several projects. What it reads grows with the number of facets, and not with that of events. */
export async function mergedPage(session: Session, asked: Asked, direction: Direction): Promise<Rendered[]> {
  const lists = await countLists(session, asked);
  if (lists === 0) return [];
  if (lists > listsMax) {
    const found = await allRows<Rendered>(session, amongNext(session, asked, direction));
    if (found.length === asked.limit) return found.map(toRendered);
  }
  return (await allRows<Rendered>(session, merged(session, asked, direction))).map(toRendered);
}

/** Postgres gives numbers of a statement that the builder did not make as texts. */
const toRendered = ({ id, ts, wire }: Rendered): Rendered => ({ id: Number(id), ts: Number(ts), wire });

/** How many fit; of very many the count ends. */
async function countLists(session: Session, asked: Asked): Promise<number> {
  const [counted] = await allRows<{ lists: number }>(
    session,
    sql`select count(*) as lists from (select 1 from ${listsOf(session, asked).names} as fitting limit ${listsMax + 1}) as lists`,
  );
  return Number(counted?.lists);
}

/** Those among the next events that the first filter, or none, lets pass. */
function amongNext(session: Session, asked: Asked, direction: Direction): SQL {
  const [first, ...others] = filters.filter((field) => asked[field] !== undefined);
  const of = first && { column: sql.identifier(first), value: sql`${asked[first]}` };
  const { where, order } = stretch(session, { of, ts: sql`ts`, ...timesOf(asked) }, direction);
  const rest = all([...equalities(asked, others), amongProjects(session.dialect, asked)]);
  return sql`select id, ts, wire from (select * from events where ${all([where])} order by ${order} limit ${nextEvents}) as next
    where ${rest} order by ts ${towards(direction)} limit ${asked.limit}`;
}

/** The ends of the lists, merged: of no more lists than the page has events, those that go on furthest. */
function merged(session: Session, asked: Asked, direction: Direction): SQL {
  const { names, entries, key } = listsOf(session, asked);
  const { limit } = asked;
  const order = towards(direction);
  const inList = stretch(
    session,
    { of: { column: sql`one.${key}`, value: sql`lists.name` }, ts: sql`one.ts`, ...timesOf(asked) },
    direction,
  );
  const end = (count: number) =>
    sql`select one.ts from ${entries} as one where ${inList.where} order by ${inList.order} limit ${sql.raw(String(count))}`;
  const ended = sql`select name, (${end(1)}) as furthest from ${names} as lists`;
  const lists = sql`(select name from (${ended}) as ended where furthest is not null order by furthest ${order} limit ${limit}) as lists`;
  const ends = (entry: SQL) => sql`select entry.ts from ${lists} join ${entry} order by entry.ts ${order} limit ${limit}`;
  const among =
    session.dialect === "sqlite"
      ? sql`in (${ends(sql`${entries} as entry on entry.${key} = lists.name and entry.ts in (${end(limit)})`)})`
      : sql`= any (array(${ends(sql`lateral (${end(limit)}) as entry on true`)}))`;
  return sql`select id, ts, wire from events where ts ${among} order by ts ${order}`;
}

/** The lists that fit: facets, or, where nothing but the projects is asked for, the projects. */
function listsOf({ dialect }: Session, asked: Asked) {
  const given = equalities(asked, filters);
  if (asked.projects === null || given.length > 0) {
    const names = sql`(select id as name from facets where ${all([...given, amongProjects(dialect, asked)])})`;
    return { names, entries: sql`facet_events`, key: sql`facet` };
  }
  return { names: sql`(select value as name from ${elements(dialect, asked.projects)})`, entries: sql`events`, key: sql`project` };
}

const equalities = (asked: Asked, fields: readonly (typeof filters)[number][]): SQL[] =>
  fields.filter((field) => asked[field] !== undefined).map((field) => sql`${sql.identifier(field)} = ${asked[field]}`);

const timesOf = ({ before, after }: Asked) => ({
  before: before === undefined ? undefined : sql`${before}`,
  after: after === undefined ? undefined : sql`${after}`,
});

const amongProjects = (dialect: Session["dialect"], { projects }: Asked): SQL | undefined =>
  projects === null ? undefined : sql`project in (select value from ${elements(dialect, projects)})`;

/** The members of a list, as rows: one statement, however long it is. */
const elements = (dialect: Session["dialect"], list: readonly string[]): SQL =>
  dialect === "sqlite"
    ? sql`json_each(${JSON.stringify(list)})`
    : sql`json_array_elements_text(${JSON.stringify(list)}::text::json) as element (value)`;

const all = (conditions: (SQL | undefined)[]): SQL => and(sql`true`, ...conditions) as SQL;

const towards = (direction: Direction): SQL => sql.raw(direction === "newest first" ? "desc" : "asc");
