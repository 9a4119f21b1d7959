/** Appends that come at once are made as one, and told apart. */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import { openData } from "../../db/open.ts";
import { pipeline } from "../../db/query/statements.ts";
import type { NewAudit } from "../../src/core/rows.ts";
import type { AppendResult } from "../../src/feed/port.ts";
import {
  dialects,
  event,
  expectConsistent,
  link,
  migratedDatabase,
  openTestData,
  rowsOf,
  testClock,
  until,
} from "../support/harness.ts";

const noteOf =
  (target: string) =>
  ({ added, duplicates }: AppendResult): NewAudit => ({
    ...{
      at: 1,
      who: "ci",
      via: "api",
      what: "appendEvents",
      project: null,
      target,
      status: 200,
      address: null,
    },
    request: `${added.length} and ${duplicates}`,
  });

describe.each(dialects)("concurrent appends on %s", (dialect) => {
  test.concurrent("are told what became of their own events, and each keeps its row", async () => {
    await using opened = await openTestData(dialect);
    const { data, url } = opened;
    await link(data, "atlas");
    await data.append([event({ dedupe_key: "known" })]);
    const batchOf = (index: number) => [
      event({ dedupe_key: "known" }),
      event({
        dedupe_key: `of ${index}`,
        project: "atlas",
        kind: index % 2 ? "issue.opened" : "issue.closed",
        issue: 1 + (index % 5),
        tokens_in: 7,
      }),
      event({ dedupe_key: `of every third ${Math.floor(index / 3)}` }),
      event({ summary: `without a key, of ${index}` }),
    ];
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, index) => data.append(batchOf(index), noteOf(`${index}`))),
    );
    const expected = (index: number) => (index % 3 === 0 ? 3 : 2);
    expect(made.map(({ added, duplicates }) => [added.length, duplicates])).toEqual(
      Array.from({ length: 60 }, (_, index) => [expected(index), 4 - expected(index)]),
    );
    expect(made.map(({ added }) => added.at(-1)?.summary)).toEqual(
      Array.from({ length: 60 }, (_, index) => `without a key, of ${index}`),
    );
    // In the order of asking, each behind the other.
    const ids = made.flatMap(({ added }) => added.map(({ id }) => id));
    expect(ids).toEqual(ids.map((_, place) => (ids[0] as number) + place));
    const notes = await rowsOf(url, "select target, request from audit order by id");
    expect(notes).toEqual(
      Array.from({ length: 60 }, (_, index) => ({
        target: `${index}`,
        request: `${expected(index)} and ${4 - expected(index)}`,
      })),
    );
    expect(await expectConsistent(data)).toBe(await eventsIn(url));
    expect(await data.findInconsistencies()).toEqual([]);
  });

  test.concurrent("do not notice one that the database refuses", async () => {
    await using opened = await openTestData(dialect);
    // safe because: the database refuses it, which is the point
    const bad = event({ kind: null as unknown as "run.started" });
    const settled = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        opened.data.append(
          [event({ dedupe_key: `${index}` }), ...(index === 20 ? [bad] : [])],
          noteOf(`${index}`),
        ),
      ),
    );
    expect(settled.flatMap(({ status }, index) => (status === "rejected" ? index : []))).toEqual([20]);
    const keys = (await rowsOf(opened.url, "select dedupe_key as key from events")).map((row) =>
      Number(row.key),
    );
    expect(keys.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 40 }, (_, index) => index).filter((index) => index !== 20),
    );
    expect((await rowsOf(opened.url, "select target from audit where target = '20'")).length).toBe(0);
    expect(await expectConsistent(opened.data)).toBe(39);
  });

  test.concurrent("are taken 250 events at a time, and all of them are", async () => {
    await using opened = await openTestData(dialect);
    const sizes = [150, 150, 250, 1, 249, 1000, 2];
    const made = await Promise.all(
      sizes.map((length) => opened.data.append(Array.from({ length }, () => event()))),
    );
    expect(made.map(({ added }) => added.length)).toEqual(sizes);
    expect(await eventsIn(opened.url)).toBe(1_802);
  });
});

test.concurrent("appends to a Postgres that was empty when they began read no more of it when it has grown", async () => {
  await using database = await migratedDatabase("postgres");
  const data = await openData(database.url, { now: testClock().now, log() {} });
  const append = async (...keys: string[]) =>
    data.append(keys.map((key) => event({ dedupe_key: key, delivery_id: key })));
  for (let index = 0; index < 20; index++) await append(`early ${index}`);
  await append(...Array.from({ length: 1_000 }, (_, index) => `grown ${index}`));
  for (let index = 0; index < 20; index++) await append(`late ${index}`);
  await data.close(); // by then its sessions have told what they read
  const read = async () =>
    (
      await rowsOf(
        database.url,
        "select n_tup_ins, seq_tup_read from pg_stat_user_tables where relname = 'events'",
      )
    )[0];
  await until(async () => Number((await read())?.n_tup_ins) === 1_040, "Postgres has counted");
  expect(Number((await read())?.seq_tup_read)).toBe(0);
});

const eventsIn = async (url: string): Promise<number> =>
  Number((await rowsOf(url, "select count(*) as n from events"))[0]?.n);

test("a pipeline runs each statement once", async () => {
  const client = new Database(":memory:");
  client.run("create table marks (id integer primary key)");
  const marks = sqliteTable("marks", { id: integer() });
  const mark = drizzle(client).insert(marks).values({ id: sql`null` }).returning().prepare();
  expect(await pipeline([mark.execute(), Promise.resolve("else")])).toEqual([[{ id: 1 }], "else"]);
  expect(client.query("select count(*) as count from marks").get()).toEqual({ count: 1 });
});
