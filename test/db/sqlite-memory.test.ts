/** A server that rests gives back the pages of its database that SQLite holds. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { openSqlite } from "../../db/engine/sqlite.ts";
import { fileOf, freshDatabase } from "../support/harness.ts";

/** Rows that fit on a page: SQLite reads longer ones past its cache. */
const rowBytes = 200;
const rows = 120_000;

function residentMegabytes(): number {
  Bun.gc(true);
  Bun.shrink();
  return process.memoryUsage.rss() / 2 ** 20;
}

test("most of the memory that a large read took is given back", async () => {
  await using database = await freshDatabase("sqlite");
  const backend = openSqlite(fileOf(database));
  const writer = new Database(fileOf(database));
  writer.exec(`create table large as with recursive n (i) as (select 1 union all select i + 1 from n
    where i < ${rows}) select hex(randomblob(${rowBytes / 2})) as part from n`);
  writer.close();
  backend.readSession.db.all(sql`select count(*) from large where part like '%never%'`);
  const used = residentMegabytes();
  backend.releaseMemory();
  expect(used - residentMegabytes()).toBeGreaterThan((rows * rowBytes) / 2 / 2 ** 20);
  backend.close();
});
