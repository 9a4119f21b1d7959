/** Statements of SQLite are compiled once, whatever limit they are run with. */
import { Database } from "bun:sqlite";
import { expect, spyOn, test } from "bun:test";
import { desc, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import { CompilingDatabase } from "../../db/engine/compiling-database.ts";
import { openData } from "../../db/open.ts";
import { migratedDatabase } from "../support/harness.ts";

const numbers = sqliteTable("numbers", { n: integer() });

test("a limit becomes part of the text, so that no run compiles a statement again", async () => {
  using connection = new CompilingDatabase(":memory:");
  connection.exec("create table numbers (n integer)");
  const db = drizzle(connection);
  await db.insert(numbers).values([1, 2, 3].map((n) => ({ n })));
  using compile = spyOn(Database.prototype, "prepare");
  const newest = () => db.select().from(numbers).orderBy(desc(numbers.n));
  const prepared = newest().limit(sql.placeholder("limit")).prepare();
  for (const limit of [2, 1, 2, 0]) {
    const rows = [{ n: 3 }, { n: 2 }].slice(0, limit);
    expect(await newest().limit(limit)).toEqual(rows);
    expect(await prepared.execute({ limit })).toEqual(rows);
  }
  const texts = compile.mock.calls.map(([text]) => text);
  expect(texts.map((text) => text.slice(-7))).toEqual(["limit 2", "limit 1", "limit 0"]);
  expect(() => prepared.execute({ limit: "1 union select 2" }).sync()).toThrow("is no limit");
});

test("no parameter is compared with a column of a partial index, which would compile a read at each run", async () => {
  await using database = await migratedDatabase("sqlite");
  using compile = spyOn(Database.prototype, "prepare");
  const data = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
  await data.feed(null, { kind: "run.failed", limit: 1 });
  await data.rejections("atlas", 1, 1);
  await data.reviewStates(null, ["an-asset"]);
  await data.close();
  const compared = compile.mock.calls.flatMap(([text]) => text.match(/"(kind|source)" = \S+/g) ?? []);
  expect(new Set(compared)).toEqual(new Set(['"kind" = +?', "\"source\" = 'review'"]));
});
