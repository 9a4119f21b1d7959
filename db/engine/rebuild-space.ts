/** The disk space that a migration needs if it copies a table of a SQLite file. */
import type { Database } from "bun:sqlite";
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseError, type Migration } from "./migrate.ts";

/**
 * What is copied is in the WAL until the transaction ends, and then also in the file, where the old pages are
 * free but stay.
 */
const copies = 2;

/**
 * Throws before the first of these migrations if the disk may have no space for the tables that they copy:
 * SQLite would notice in the middle, or only at the checkpoint, and then refuse every write.
 */
export function requireRebuildSpace(database: Database, pending: readonly Migration[]): void {
  const { filename } = database;
  const rebuilding = pending.filter(({ rebuilds }) => rebuilds !== undefined);
  if (rebuilding.length === 0 || filename === ":memory:") return;
  const { bavail, bsize } = statfsSync(filename);
  const free = bavail * bsize;
  // Usually there is space for the whole file, which need not be read to know that.
  if (rebuilding.length * copies * fileBytes(database) <= free) return;
  const tables = rebuilding.map(({ rebuilds = "" }) => copies * tableBytes(database, rebuilds));
  const needed = tables.reduce((sum, bytes) => sum + bytes, 0);
  if (needed <= free) return;
  const causes = rebuilding.map(({ name, rebuilds }) => `${name} copies the table ${rebuilds}`).join(", ");
  throw new DatabaseError(
    `The upgrade needs up to ${megabytes(needed)} of free space in ${dirname(filename)}, which has ` +
      `${megabytes(free)}: ${causes}. Free some space and start svc again. Nothing was changed.`,
  );
}

const fileBytes = (database: Database): number =>
  numberOf(database, "select page_count * page_size as bytes from pragma_page_count, pragma_page_size");

/** The pages of a table and its indexes, which are all read; 0 if the table does not exist yet. */
const tableBytes = (database: Database, table: string): number =>
  numberOf(
    database,
    `select coalesce(sum(pages.pgsize), 0) as bytes from sqlite_schema as part
       join dbstat as pages on pages.name = part.name and pages.aggregate = 1
     where part.tbl_name = ?`,
    table,
  );

const numberOf = (database: Database, query: string, ...values: string[]): number =>
  (database.query(query).get(...values) as { bytes: number }).bytes;

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1e6).toLocaleString("en")} MB`;
