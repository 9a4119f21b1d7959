/** Statements of SQLite are compiled once, whatever limit they are run with. */
import { Database } from "bun:sqlite";
import { describe, expect, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { desc, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import { CompilingDatabase, readsBetween } from "../../db/engine/compiling-database.ts";
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

describe("reads of a file", () => {
  function openFile() {
    const folder = mkdtempSync(join(tmpdir(), "svc-reads-"));
    const stack = new DisposableStack();
    stack.defer(() => rmSync(folder, { recursive: true }));
    const writer = stack.use(
      new CompilingDatabase(join(folder, "numbers.db"), { create: true, readwrite: true }),
    );
    writer.exec("pragma journal_mode = wal; create table numbers (n integer)");
    const reader = stack.use(new CompilingDatabase(join(folder, "numbers.db"), { readonly: true }));
    const reads = readsBetween(writer, reader);
    const count = reads.prepare<[number], []>("select count(*) from numbers");
    return Object.assign(stack, { writer, reader, reads, count: () => count.values()[0]?.[0] });
  }

  test("see no transaction that is not committed, and each that is", () => {
    using file = openFile();
    file.writer.exec("begin immediate; insert into numbers values (1)");
    expect(file.count()).toBe(0);
    file.writer.exec("commit");
    expect(file.count()).toBe(1);
    file.writer.exec("begin immediate; insert into numbers values (2)");
    expect(file.count()).toBe(1);
    file.writer.exec("rollback");
    expect(file.count()).toBe(1);
  });

  test("are on the connection that writes between its transactions", () => {
    using file = openFile();
    using beside = spyOn(file.reader, "prepare");
    expect(file.count()).toBe(0);
    expect(beside).not.toHaveBeenCalled();
    file.writer.exec("begin immediate");
    expect(file.count()).toBe(0);
    expect(beside).toHaveBeenCalledTimes(1);
  });

  test("refuse a statement that writes, also between transactions", () => {
    using file = openFile();
    expect(() => file.reads.prepare("insert into numbers values (1)").run()).toThrow("readonly");
    expect(file.count()).toBe(0);
  });

  test("wait beside it for a lock of another process, and tell other errors", () => {
    using file = openFile();
    using locked = spyOn(file.writer, "prepare").mockImplementation(() => {
      throw Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY_RECOVERY" });
    });
    expect(file.count()).toBe(0);
    locked.mockImplementation(() => {
      throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR" });
    });
    expect(() => file.count()).toThrow("disk I/O error");
  });
});
