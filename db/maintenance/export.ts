/**
 * Exports all rows of one snapshot, or replaces all rows by imported ones. Derived tables (search indexes,
 * vocabulary, facets, runs, tasks, issues of pull requests, usage by task) are rebuilt, not exported. The
 * deployment id, rate-limit windows, browser sessions, sign-in links, tried passphrases, the log of
 * deliveries to webhooks, and the pieces of unfinished uploads are left out: such an upload starts again.
 * Webhooks keep their secrets and how far they got.
 */
import { asc, getTableColumns, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { DatabaseExport, DatabaseImport, ExportedRow } from "../../src/core/maintenance.ts";
import { findRefusal } from "../engine/migrate.ts";
import { clearCaches, type Session } from "../engine/session.ts";
import { renewVersion } from "../feed/budgets/writes.ts";
import { clearFacets, indexStored } from "../feed/facets.ts";
import type { Head } from "../feed/head.ts";
import { addPartitions } from "../feed/partitions.ts";
import { type StoredEvent, toRunEvent } from "../feed/runs/events-of.ts";
import { clearRuns, recordFromLog } from "../feed/runs/rebuild.ts";
import { clearPullRequestIssues, recordPullRequestIssues } from "../feed/tasks/pull-request-issues.ts";
import { markPullRequests } from "../feed/tasks/stale-tasks.ts";
import { rebuildRecallIndex } from "../memory/recall/outdated-index.ts";
import { clearIndexes, indexOf, largestKind } from "../memory/recall/term-index.ts";
import { allRows, tuple } from "../query/statements.ts";
import { rebuildUsage } from "./usage.ts";

type TableName = keyof Session["t"];

/** The exported tables with the columns that order their rows: the keyset of a page. */
export const exportedTables = {
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
  identities: ["issuer", "subject"],
  people: ["id"],
  person_identities: ["identity"],
  unmapped_identities: ["project", "identity"],
  read_markers: ["reader"],
  inbox_marks: ["reader", "item"],
  saved_views: ["reader", "path", "name"],
  email_digests: ["id"],
  unplaced: ["source", "reason"],
  assets: ["id"],
  uploads: ["id"],
  annotations: ["id"],
  review_requests: ["asset"],
  provenance: ["asset"],
  bundle_files: ["asset", "path"],
  comparisons: ["asset"],
  fingerprints: ["asset"],
  requested_reviewers: ["reviewer", "sort_at", "asset"],
  shares: ["id"],
  share_views: ["share", "slot"],
  verdicts: ["asset", "voter"],
  review_policies: ["project", "kind"],
  repeat_policies: ["project"],
  checklists: ["project", "kind", "version"],
  outbox: ["id"],
  webhooks: ["id"],
  webhook_replays: ["id"],
  webhook_lanes: ["webhook", "replay", "project"],
  audit: ["id"],
  removals: ["kind", "subject"],
  budgets: ["id"],
  budget_periods: ["budget", "start"],
  claims: ["project", "subject"],
  briefs: ["id"],
  brief_decisions: ["decision", "brief"],
  recalls: ["id"],
} as const satisfies Partial<Record<TableName, readonly string[]>>;

type ExportedTable = keyof typeof exportedTables;
const tablesWithSequences = [
  "decisions",
  "preferences",
  "notes",
  "guidance",
  "outbox",
  "audit",
  "budgets",
  "briefs",
  "recalls",
] as const satisfies ExportedTable[];
const tableNames = Object.keys(exportedTables) as ExportedTable[];

/** Tables with rows even in an empty database: created with it, or written by commands that only read. */
const neverEmpty: ReadonlySet<string> = new Set<ExportedTable>(["feed_head", "settings", "audit"]);

/** Of the derived rows, which a restore makes again, all of them; and the version of the budgets. */
const headProgress: ReadonlySet<string> = new Set<keyof Head>(["derived", "budgets"]);

/** Rows per page: small, since an event may hold a whole webhook payload. */
const pageRows = 250;

/** The rows of the session's snapshot. */
export const exportRows = (session: Session): DatabaseExport => ({
  tables: tableNames,
  async migrations() {
    const rows = await allRows<{ name: string }>(
      session,
      sql`select name from schema_migrations order by name`,
    );
    return rows.map(({ name }) => name);
  },
  refusalOf: findRefusal,
  async isEmpty() {
    for (const name of tableNames) {
      if (neverEmpty.has(name)) continue;
      if ((await allRows(session, sql`select 1 from ${sql.identifier(name)} limit 1`)).length > 0)
        return false;
    }
    return true;
  },
  rows: (name) => pagesOf(session, tableNamed(name)),
});

async function* pagesOf(session: Session, name: ExportedTable): AsyncGenerator<ExportedRow[]> {
  const table = session.t[name];
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  const isExported = ([column]: [string, SQLiteColumn]) => name !== "feed_head" || !headProgress.has(column);
  const exported = Object.fromEntries(Object.entries(columns).filter(isExported));
  const order: readonly string[] = exportedTables[name];
  const keys = order.map((key) => columns[key] as SQLiteColumn);
  for (let last: ExportedRow | undefined; ; ) {
    const after = last && sql`${tuple(keys)} > ${tuple(order.map((key) => last?.[key]))}`;
    // safe because: these are the rows of that table
    const page = (await session.db
      .select(exported)
      .from(table)
      .where(after)
      .orderBy(...keys.map((key) => asc(key)))
      .limit(pageRows)) as unknown as ExportedRow[];
    if (page.length > 0) yield page;
    if (page.length < pageRows) return;
    last = page.at(-1);
  }
}

/** Deletes all rows and imports those of `work`; runs in a transaction that holds the write lock. */
export async function replaceAllRows<T>(
  session: Session,
  work: (rows: DatabaseImport) => Promise<T>,
): Promise<T> {
  for (const name of tableNames)
    if (name !== "feed_head") await allRows(session, sql`delete from ${sql.identifier(name)}`);
  await clearIndexes(session);
  await clearFacets(session);
  await clearRuns(session);
  await clearPullRequestIssues(session);
  await allRows(session, sql`delete from tasks`);
  await allRows(session, sql`delete from task_counts`);
  await allRows(session, sql`delete from stale_tasks`);
  await allRows(session, sql`delete from sessions`);
  await allRows(session, sql`delete from sign_in_links`);
  await allRows(session, sql`delete from upload_segments`);
  await allRows(session, sql`delete from webhook_deliveries`);
  clearCaches(session);
  const value = await work({
    ...exportRows(session),
    put: (name, rows) => put(session, tableNamed(name), rows),
  });
  await rebuildRecallIndex(session);
  // The rows of `usage` in a backup may lack the newest events.
  await rebuildUsage(session);
  await renewVersion(session);
  await session.dialect.afterImport?.(session.db, tablesWithSequences, indexOf(largestKind));
  clearCaches(session);
  return value;
}

async function put(session: Session, name: ExportedTable, rows: ExportedRow[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const columns = Object.keys(first);
  const unknown = columns.find((column) => !(column in getTableColumns(session.t[name])));
  if (unknown !== undefined) throw new Error(`table ${name} has no column ${unknown}`);
  if (name === "feed_head") {
    // The row is the write lock, so it is updated, never deleted. All derived rows are made again.
    const { id, ts } = first;
    await allRows(session, sql`update feed_head set id = ${id}, ts = ${ts}, derived = ${id}`);
    return;
  }
  // safe because: these are rows of events
  if (name === "events")
    await addPartitions(
      session,
      rows.map(({ ts }) => ts as number),
    );
  await allRows(session, session.dialect.insertObjects(name, columns, JSON.stringify(rows)));
  if (name === "events") await deriveFromEvents(session, rows as unknown as StoredEvent[]);
}

/** Derives facets, runs and issues of pull requests from a page of the log, read from its beginning. */
async function deriveFromEvents(session: Session, rows: StoredEvent[]): Promise<void> {
  await indexStored(session, rows);
  await recordPullRequestIssues(session, rows);
  await markPullRequests(session, rows);
  await recordFromLog(session, rows.map(toRunEvent));
}

/** Rebuilds the search indexes and the posting lists of facets. */
export async function reindex(session: Session): Promise<void> {
  await clearFacets(session);
  await rebuildRecallIndex(session);
  // safe because: these are rows of events
  for await (const page of pagesOf(session, "events"))
    await indexStored(session, page as unknown as StoredEvent[]);
}

/** Rebuilds all runs from their events. */
export async function rebuildRuns(session: Session): Promise<void> {
  await clearRuns(session);
  for await (const page of pagesOf(session, "events"))
    await recordFromLog(session, (page as unknown as StoredEvent[]).map(toRunEvent));
  await renewVersion(session);
}

function tableNamed(name: string): ExportedTable {
  if (!Object.hasOwn(exportedTables, name)) throw new Error(`unknown table ${name}`);
  return name as ExportedTable;
}
