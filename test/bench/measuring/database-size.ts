/** How large a database is with all its indexes, and its tables and indexes one by one. */
import { Database } from "bun:sqlite";
import { SQL } from "bun";
import type { Result } from "./measure.ts";

export interface DatabaseSize {
  bytes: number;
  /** The largest first. */
  parts: { name: string; bytes: number }[];
}

/** Reading the pages of a larger file takes longer than all of the rest of a benchmark. */
const partsOfFileMax = 4e9;

export function sizeOfFile(path: string): DatabaseSize {
  using database = new Database(path, { readonly: true });
  const pages = "pragma_page_count, pragma_freelist_count, pragma_page_size";
  const { bytes } = database
    .query<{ bytes: number }, []>(`select (page_count - freelist_count) * page_size as bytes from ${pages}`)
    .get() ?? { bytes: 0 };
  if (bytes > partsOfFileMax) return { bytes, parts: [] };
  const parts = "select name, sum(pgsize) as bytes from dbstat group by name order by bytes desc";
  return { bytes, parts: database.query<{ name: string; bytes: number }, []>(parts).all() };
}

export async function sizeOfPostgres(url: string): Promise<DatabaseSize> {
  await using sql = new SQL(url, { max: 1 });
  const found: { name: string; bytes: string }[] = await sql.unsafe(
    `select relname as name, pg_relation_size(oid) as bytes from pg_class
     where relkind in ('r', 'i', 't') and relnamespace <> 'pg_catalog'::regnamespace order by 2 desc`,
  );
  const parts = found.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }));
  return { bytes: parts.reduce((sum, part) => sum + part.bytes, 0), parts };
}

/** Rows that name what takes at least a byte for an event. */
export function sizeRows(where: string, { bytes, parts }: DatabaseSize, count: number): Result[] {
  const row = (name: string, size: number): Result => ({
    ...{ measure: `bytes for an event, ${name}`, svc: `${(size / count).toFixed(1)} bytes`, ceiling: "" },
    ...{ ratio: 1, amount: size, aim: "none", reached: true },
  });
  const large = parts.filter((part) => part.bytes > count);
  return [row(`${count} events ${where}`, bytes), ...large.map((part) => row(part.name, part.bytes))];
}
