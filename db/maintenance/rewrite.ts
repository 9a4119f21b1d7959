/**
 * Rewrites rows of any table, and what is derived from them: for what is taken back. Runs in a transaction
 * that holds the write lock.
 */
import {
  and,
  asc,
  eq,
  getTableColumns,
  inArray,
  isNull,
  or,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  type AffectedRow,
  type ExportedRow,
  otherTables,
  type RewritePosition,
  type RewriteStep,
  type Rewriting,
  type RowFilter,
} from "../../src/core/maintenance.ts";
import { clearCaches, type Session } from "../engine/session.ts";
import { renewVersion } from "../feed/budgets/writes.ts";
import { catchUp } from "../feed/derived-rows.ts";
import { addUsageRow, usageTableNames, usageTables } from "../feed/usage/sums.ts";
import { allRows, pipeline, tuple, wellFormedJson } from "../query/statements.ts";
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
  tasks: ["project", "issue", "pr"],
  task_counts: ["project", "stage"],
  // After the tables whose triggers add to it.
  stale_tasks: ["project", "issue", "pr"],
} as const;

const keysOf: Record<string, readonly string[]> = { ...exportedTables, ...unexportedTables };
type TableName = keyof typeof exportedTables | keyof typeof unexportedTables;

const pageRows = 250;
/** Rows that a page of a filter without an index looks through. */
const windowRows = 2_000;
/** A step changes this many rows, or looks through this many pages: 20 to 50 ms. */
const stepRows = 500;
const stepPages = 8;

interface AffectedPage {
  rows: AffectedRow[];
  position: RewritePosition;
}

/** The rows that change, page by page, in the order of their keys; pages without any are empty. */
async function* affectedPages(
  session: Session,
  rewriting: Rewriting,
  after: RewritePosition | null = null,
): AsyncGenerator<AffectedPage> {
  const names = Object.keys(keysOf) as TableName[];
  for (const name of after ? names.slice(names.indexOf(after.table as TableName)) : names) {
    const filters = rewriting.tables[name] ?? filtersOfOthers(session, name, rewriting);
    const isBegun = name === after?.table;
    if (filters.length === 0 || (isBegun && !after.key)) continue;
    for await (const { page, last } of pagesOf(session, name, filters, isBegun ? after.key : undefined)) {
      const rows = page.flatMap((row) => {
        const changed = rewriting.change(name, row);
        return changed === row ? [] : [{ table: name, row, changed }];
      });
      yield { rows, position: { table: name, ...(last && { key: last }) } };
    }
  }
}

function filtersOfOthers({ t }: Session, name: TableName, { tables }: Rewriting): readonly RowFilter[] {
  const columns = getTableColumns(t[name]);
  const hasColumns = ({ equals = {} }: RowFilter) => Object.keys(equals).every((column) => column in columns);
  return (tables[otherTables] ?? []).filter(hasColumns);
}

export async function* affectedRows(session: Session, rewriting: Rewriting): AsyncGenerator<AffectedRow> {
  for await (const { rows } of affectedPages(session, rewriting)) yield* rows;
}

/** Changes the rows, their documents in recall, and the caches of all processes. @returns how many */
export async function rewriteRows(session: Session, rewriting: Rewriting): Promise<number> {
  const { count } = await rewriteUntil(session, rewriting, null, () => false);
  if (rewriting.project !== undefined) await forgetAudience(session, rewriting.project);
  return count;
}

/** A step of a rewriting in several transactions: what it has changed reads as changed, with its documents. */
export const rewriteSome = (
  session: Session,
  rewriting: Rewriting,
  after: RewritePosition | null,
): Promise<RewriteStep> =>
  rewriteUntil(session, rewriting, after, (count, pages) => count >= stepRows || pages === stepPages);

async function rewriteUntil(
  session: Session,
  rewriting: Rewriting,
  after: RewritePosition | null,
  isEnough: (count: number, pages: number) => boolean,
): Promise<RewriteStep> {
  let count = 0;
  let pages = 0;
  let next: RewritePosition | null = null;
  await catchUp(session); // or a process would index texts that it remembers
  for await (const { rows, position } of affectedPages(session, rewriting, after)) {
    count += rows.length;
    if (rows.length > 0) await rewritePage(session, rows, rewriting);
    if (!isEnough(count, ++pages)) continue;
    next = position;
    break;
  }
  if (count > 0) {
    await renewVersion(session);
    clearCaches(session);
  }
  return { count, next };
}

async function rewritePage(session: Session, rows: AffectedRow[], { project }: Rewriting): Promise<void> {
  await storePage(session, rows);
  await reindexRewritten(session, rows, project !== undefined);
  if (rows[0]?.table === "events") await deriveRewritten(session, rows);
}

async function* pagesOf(
  session: Session,
  name: TableName,
  filters: readonly RowFilter[],
  start: ExportedRow | undefined,
): AsyncGenerator<{ page: ExportedRow[]; last: ExportedRow | undefined }> {
  const table = session.t[name];
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  const keys = keysOf[name] as readonly string[];
  const order = keys.map((key) => columns[key] as SQLiteColumn);
  const matches = filters.some((filter) => Object.keys(filter).length === 0)
    ? undefined
    : or(...filters.map((filter) => conditionOf(columns, filter)));
  const keyColumns = Object.fromEntries(keys.map((key) => [key, columns[key] as SQLiteColumn]));
  const isScan = filters.some(({ contains }) => contains);
  for (let last = start; ; ) {
    const keyOf = (row: ExportedRow) => tuple(keys.map((key) => row[key]));
    const after = last && sql`${tuple(order)} > ${keyOf(last)}`;
    const [end] = !isScan
      ? []
      : ((await session.db
          .select(keyColumns)
          .from(table)
          .where(after)
          .orderBy(...order.map((key) => asc(key)))
          .limit(1)
          .offset(windowRows - 1)) as unknown as ExportedRow[]);
    const within = end && sql`${tuple(order)} <= ${keyOf(end)}`;
    // safe because: these are the rows of that table
    const page = (await session.db
      .select()
      .from(table)
      .where(and(matches, after, within))
      .orderBy(...order.map((key) => asc(key)))
      .limit(pageRows)) as unknown as ExportedRow[];
    const lastOfPage = page.at(-1);
    last = page.length === pageRows && lastOfPage ? pickKeys(keys, lastOfPage) : end;
    yield { page, last };
    if (!last) return;
  }
}

const pickKeys = (keys: readonly string[], row: ExportedRow): ExportedRow =>
  Object.fromEntries(keys.map((key) => [key, row[key]]));

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

/** Rows that change in the same columns change by one statement, of which building takes longer than running. */
async function storePage(session: Session, rows: readonly AffectedRow[]): Promise<void> {
  const columnsOf = ({ table, row, changed }: AffectedRow): string => {
    const different = Object.keys(row).filter((name) => changed && !Bun.deepEquals(row[name], changed[name]));
    const isSum = usageTableNames.some((one) => one === table);
    return isSum || different.some((name) => keysOf[table]?.includes(name)) ? "" : different.join();
  };
  const groups = Map.groupBy(rows, columnsOf);
  await pipeline(
    [...groups].flatMap(([columns, group]) =>
      columns ? [update(session, columns.split(","), group)] : group.map((one) => store(session, one)),
    ),
  );
}

function update(session: Session, columns: string[], rows: AffectedRow[]): Promise<unknown> {
  const name = rows[0]?.table as TableName;
  const keys = keysOf[name] as readonly string[];
  const json = wellFormedJson(rows.map(({ changed }) => pickKeys([...keys, ...columns], changed ?? {})));
  const of = (place: SQLWrapper, column: string) => sql`${place}.${sql.identifier(column)}`;
  const values = columns.map((column) => sql`${sql.identifier(column)} = ${of(sql`given`, column)}`);
  const isRow = keys.map((key) => sql`${of(sql.identifier(name), key)} = ${of(sql`given`, key)}`);
  return allRows(
    session,
    sql`update ${sql.identifier(name)} set ${sql.join(values, sql`, `)}
    from (${session.dialect.objectRows(name, [...keys, ...columns], json)}) as given where ${and(...isRow)}`,
  );
}

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
