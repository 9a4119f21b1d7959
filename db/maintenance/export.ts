/**
 * Every row there is: read as it is at one moment, or put in place of all others. What can be made again of
 * other rows, the indexes of recall and their vocabulary, is; what only says who runs where, and who is
 * signed in, is left out.
 */
import { asc, type Column, getTableColumns, sql } from "drizzle-orm";
import type { EventRow } from "../../src/feed/schema.ts";
import type { AllRows, KeptRow, Replacement } from "../../src/maintenance.ts";
import { localPublicUrls } from "../engine/migrate.ts";
import { forget, type Session } from "../engine/session.ts";
import { clearFacets, indexInFacets, markFacetsComplete } from "../feed/facets.ts";
import { allRows, tuple } from "../query/sql.ts";
import { rebuildRecallIndex } from "../recall/rebuild-index.ts";
import { clearIndexes, indexOf, largestKind } from "../recall/term-index.ts";

type TableName = keyof Session["t"];

/** Tables with what orders their rows. */
export const keptTables = {
  feed_head: ["one"],
  events: ["ts"],
  issues: ["project", "number"],
  usage: ["project", "day", "lane", "model"],
  rollups: ["project", "day", "lane", "model"],
  projects: ["slug"],
  decisions: ["id"],
  preferences: ["id"],
  notes: ["id"],
  models: ["id"],
  guidance: ["id"],
  settings: ["name"],
  tokens: ["name"],
  assets: ["id"],
  uploads: ["id"],
  outbox: ["id"],
  audit: ["id"],
} as const satisfies Partial<Record<TableName, readonly string[]>>;

type KeptTable = keyof typeof keptTables;
const names = Object.keys(keptTables) as KeptTable[];

/** Made with the database, or by looking at it: a database that holds no more holds nothing. */
const always: ReadonlySet<string> = new Set<KeptTable>(["feed_head", "settings", "audit"]);

/** A row of an event may hold a whole delivery. */
const pageRows = 250;

export const everythingOf = (session: Session): AllRows => ({
  tables: names,
  async migrations() {
    const rows = await allRows<{ name: string }>(
      session,
      sql`select name from schema_migrations order by name`,
    );
    return rows.map(({ name }) => name);
  },
  async isEmpty() {
    for (const name of names) {
      if (always.has(name)) continue;
      if ((await allRows(session, sql`select 1 from ${sql.identifier(name)} limit 1`)).length > 0)
        return false;
    }
    return true;
  },
  rows: (name) => pagesOf(session, known(name)),
});

async function* pagesOf(session: Session, name: KeptTable): AsyncGenerator<KeptRow[]> {
  const table = session.t[name];
  const columns: Record<string, Column> = getTableColumns(table);
  const order: readonly string[] = keptTables[name];
  const keys = order.map((key) => columns[key] as Column);
  for (let last: KeptRow | undefined; ; ) {
    const behind = last && sql`${tuple(keys)} > ${tuple(order.map((key) => last?.[key]))}`;
    // safe because: these are the rows of that table
    const page = (await session.db
      .select()
      .from(table)
      .where(behind)
      .orderBy(...keys.map((key) => asc(key)))
      .limit(pageRows)) as unknown as KeptRow[];
    if (page.length > 0) yield page;
    if (page.length < pageRows) return;
    last = page.at(-1);
  }
}

/** Inside of a transaction under the lock of all writers. */
export async function replaceEverything<T>(
  session: Session,
  work: (rows: Replacement) => Promise<T>,
): Promise<T> {
  for (const name of names)
    if (name !== "feed_head") await allRows(session, sql`delete from ${sql.identifier(name)}`);
  await clearIndexes(session);
  await clearFacets(session);
  await allRows(session, sql`delete from sessions`);
  forget(session);
  const made = await work({ ...everythingOf(session), put: (name, rows) => put(session, known(name), rows) });
  // A backup may be older than the statement that changed these rows.
  await allRows(session, sql.raw(localPublicUrls[session.dialect]));
  await rebuildRecallIndex(session);
  await markFacetsComplete(session);
  if (session.dialect === "postgres") {
    await continueIds(session);
    // What it knows of the terms is asked; by itself it would see in a minute or so that they are other ones.
    await allRows(session, sql`analyze ${indexOf(largestKind)}`);
  }
  forget(session);
  return made;
}

async function put(session: Session, name: KeptTable, rows: KeptRow[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first);
  const unknown = columns.find((column) => !(column in getTableColumns(session.t[name])));
  if (unknown !== undefined) throw new Error(`the table ${name} has no column ${unknown}`);
  if (name === "feed_head") {
    // Its row is the lock of all writers, so it stays.
    await allRows(session, sql`update feed_head set id = ${first.id}, ts = ${first.ts}`);
    return;
  }
  const list = (parts: ReturnType<typeof sql>[]) => sql.join(parts, sql`, `);
  const ids = columns.map((column) => sql`${sql.identifier(column)}`);
  const text = JSON.stringify(rows);
  const into = sql`insert into ${sql.identifier(name)} (${list(ids)})`;
  await allRows(
    session,
    session.dialect === "sqlite"
      ? sql`${into} select ${list(columns.map((column) => sql`value ->> ${sql.raw(`'$.${column}'`)}`))} from json_each(${text})`
      : sql`${into} overriding system value select ${list(ids)} from json_populate_recordset(null::${sql.identifier(name)}, ${text}::text::json)`,
  );
  // safe because: these are rows of events
  if (name === "events") await indexInFacets(session, rows as unknown as EventRow[]);
}

/** Makes anew what is made of other rows: the indexes of recall, and the lists of facets. */
export async function reindex(session: Session): Promise<void> {
  await clearFacets(session);
  await rebuildRecallIndex(session);
  // safe because: these are rows of events
  for await (const page of pagesOf(session, "events"))
    await indexInFacets(session, page as unknown as EventRow[]);
  await markFacetsComplete(session);
}

/** New rows go on behind those that came with their ids. SQLite does so by itself. */
async function continueIds(session: Session): Promise<void> {
  for (const name of [
    "decisions",
    "preferences",
    "notes",
    "guidance",
    "outbox",
    "audit",
  ] satisfies KeptTable[])
    await allRows(
      session,
      sql`select setval(pg_get_serial_sequence(${name}, 'id'), greatest((select max(id) from ${sql.identifier(name)}), 1),
        exists (select 1 from ${sql.identifier(name)}))`,
    );
}

function known(name: string): KeptTable {
  if (!Object.hasOwn(keptTables, name)) throw new Error(`there is no table ${name}`);
  return name as KeptTable;
}
