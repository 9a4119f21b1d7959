/**
 * A program of its own, as other tests leave freed memory that a read fills without the process growing: reads
 * a table of `argv[3]` rows of `argv[4]` bytes in the SQLite file `argv[2]`, and prints how much less memory is
 * resident once the backend has released it, in MB.
 */
import { Database } from "bun:sqlite";
import { sql } from "drizzle-orm";
import { openSqlite } from "../../../db/engine/sqlite.ts";

const [path = "", rows, rowBytes] = process.argv.slice(2);

function residentMegabytes(): number {
  Bun.gc(true);
  Bun.shrink();
  return process.memoryUsage.rss() / 2 ** 20;
}

const backend = openSqlite(path);
const writer = new Database(path);
writer.exec(`create table large as with recursive n (i) as (select 1 union all select i + 1 from n
  where i < ${Number(rows)}) select hex(randomblob(${Number(rowBytes) / 2})) as part from n`);
writer.close();
backend.readSession.db.all(sql`select count(*) from large where part like '%never%'`);
const used = residentMegabytes();
backend.releaseMemory();
process.stdout.write(String(used - residentMegabytes()));
backend.close();
