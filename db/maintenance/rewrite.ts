/**
 * Rewrites rows of any table, and what is derived from them: for what is taken back. Runs in a transaction
 * that holds the write lock.
 */
import { and, asc, eq, getTableColumns, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  type AffectedRow,
  type ExportedRow,
  otherTables,
  type Rewriting,
  type RowFilter,
} from "../../src/core/maintenance.ts";
import { clearCaches, type Session } from "../engine/session.ts";
import { renewVersion } from "../feed/budgets/writes.ts";
import { catchUp } from "../feed/derived-rows.ts";
import { addUsageRow, usageTableNames, usageTables } from "../feed/usage/sums.ts";
import { pipeline, tuple } from "../query/sql.ts";
import { exportedTables } from "./export.ts";
import { forgetAudience, reindexRewritten } from "./rewritten-documents.ts";
import { deriveRewritten } from "./rewritten-events.ts";

/** Tables that an export leaves out, and that hold texts, names or projects as well. */
const unexportedTables = {
  webhook_deliveries: ["id"],
  runs: ["id", "project"],
  pull_request_issues: ["project", "pr"],
  upload_segments: ["upload_id", "position"],
  task_usage: usageTables.task_usage,
  person_usage: usageTables.person_usage,
} as const;

const keysOf: Record<string, readonly string[]> = { ...exportedTables, ...unexportedTables };
type TableName = keyof typeof exportedTables | keyof typeof unexportedTables;

const pageRows = 250;

/** The rows that change, page by page, in the order of their keys. */
async function* affectedPages(session: Session, rewriting: Rewriting): AsyncGenerator<AffectedRow[]> {
  for (const name of Object.keys(keysOf) as TableName[]) {
    const filters = rewriting.tables[name] ?? filtersOfOthers(session, name, rewriting);
    if (filters.length === 0) continue;
    for await (const page of pagesOf(session, name, filters)) {
      const affected = page.flatMap((row) => {
        const changed = rewriting.change(name, row);
        return changed === row ? [] : [{ table: name, row, changed }];
      });
      if (affected.length > 0) yield affected;
    }
  }
}

function filtersOfOthers({ t }: Session, name: TableName, { tables }: Rewriting): readonly RowFilter[] {
  const columns = getTableColumns(t[name]);
  const hasColumns = ({ equals = {} }: RowFilter) => Object.keys(equals).every((column) => column in columns);
  return (tables[otherTables] ?? []).filter(hasColumns);
}

export async function* affectedRows(session: Session, rewriting: Rewriting): AsyncGenerator<AffectedRow> {
  for await (const page of affectedPages(session, rewriting)) yield* page;
}

/** Changes the rows, their documents in recall, and the caches of all processes. @returns how many */
export async function rewriteRows(session: Session, rewriting: Rewriting): Promise<number> {
  let count = 0;
  await catchUp(session); // or a process would index texts that it remembers
  for await (const page of affectedPages(session, rewriting)) {
    count += page.length;
    await pipeline(page.map((one) => store(session, one)));
    await reindexRewritten(session, page, rewriting.project !== undefined);
    if (page[0]?.table === "events") await deriveRewritten(session, page);
  }
  if (rewriting.project !== undefined) await forgetAudience(session, rewriting.project);
  await renewVersion(session);
  clearCaches(session);
  return count;
}

async function* pagesOf(
  session: Session,
  name: TableName,
  filters: readonly RowFilter[],
): AsyncGenerator<ExportedRow[]> {
  const table = session.t[name];
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  const keys = keysOf[name] as readonly string[];
  const order = keys.map((key) => columns[key] as SQLiteColumn);
  const matches = filters.some((filter) => Object.keys(filter).length === 0)
    ? undefined
    : or(...filters.map((filter) => conditionOf(columns, filter)));
  for (let last: ExportedRow | undefined; ; ) {
    const after = last && sql`${tuple(order)} > ${tuple(keys.map((key) => last?.[key]))}`;
    // safe because: these are the rows of that table
    const page = (await session.db
      .select()
      .from(table)
      .where(and(matches, after))
      .orderBy(...order.map((key) => asc(key)))
      .limit(pageRows)) as unknown as ExportedRow[];
    if (page.length > 0) yield page;
    if (page.length < pageRows) return;
    last = page.at(-1);
  }
}

function conditionOf(
  columns: Record<string, SQLiteColumn>,
  { equals = {}, contains, spans }: RowFilter,
): SQL | undefined {
  const column = (name: string) => columns[name] as SQLiteColumn;
  const found = contains?.columns.flatMap((name) =>
    contains.words.map((word) => sql`lower(${column(name)}) like ${likeText(word)} escape '\\'`),
  );
  return and(
    ...Object.entries(equals).map(([name, value]) => {
      if (value === null) return isNull(column(name));
      return Array.isArray(value) ? inArray(column(name), value) : eq(column(name), value);
    }),
    found && or(...found),
    spans && sql`${spans.value} between ${column(spans.first)} and ${column(spans.last)}`,
  );
}

/** SQLite lowers only ASCII, so a word is looked for by its longest part that is. */
function likeText(word: string): string {
  const [longest = ""] = (word.match(asciiParts) ?? []).sort((a, b) => b.length - a.length);
  return `%${longest.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
}
const asciiParts = /[ !#-[\]-~]+/g;

async function store(session: Session, { table: name, row, changed }: AffectedRow): Promise<void> {
  const { db, t } = session;
  const table = t[name as TableName];
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  const keys = keysOf[name] as readonly string[];
  const isRow = and(...keys.map((key) => eq(columns[key] as SQLiteColumn, row[key])));
  const usage = usageTableNames.find((one) => one === name);
  if (changed === null || usage) await db.delete(table).where(isRow);
  if (changed === null) return;
  if (usage) return addUsageRow(session, usage, changed);
  const different = Object.entries(changed).filter(([column, value]) => !Bun.deepEquals(row[column], value));
  await db.update(table).set(Object.fromEntries(different)).where(isRow);
}
