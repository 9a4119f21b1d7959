/** What a server says while it migrates: a large database takes minutes. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import { dialects, freshDatabase, rowsOf, testClock } from "../support/harness.ts";

/** It replaces an index, so it can run twice. */
const repeatable = "0103_runs_of_issue";

describe.each(dialects)("opening a database on %s", (dialect) => {
  test("logs each migration before it runs, and how many there are, but none of a new database", async () => {
    await using database = await freshDatabase(dialect);
    const logged: unknown[] = [];
    const open = async () => {
      const { now } = testClock();
      const data = await openData(database.url, { now, log: (...entry) => void logged.push(entry) });
      await data.close();
    };
    await open();
    expect(logged).toEqual([]);
    await rowsOf(database.url, `delete from schema_migrations where name = '${repeatable}'`);
    await open();
    await open();
    expect(logged).toEqual([["info", "migrating the database", { migration: repeatable, step: "1 of 1" }]]);
  });
});
