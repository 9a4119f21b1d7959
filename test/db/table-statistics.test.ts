/** Statistics of new tables, which the planner of Postgres needs before autovacuum comes. */
import { expect, test } from "bun:test";
import { event, link, migratedDatabase, rowsOf, writeTo } from "../support/harness.ts";

test.each([
  ["postgres", ["events", "runs"]],
  // Of a partitioned table, autovacuum would never renew them.
  ["partitioned postgres", [/^events_\d+$/, "runs"]],
] as const)("a log of a thousand events is analyzed, on %s", async (kind, expected) => {
  await using database = await migratedDatabase(kind);
  const analyzed = async () => {
    const rows = await rowsOf(
      database.url,
      `select relname from pg_class
        where reltuples > 0 and relname ~ '^(events|runs)' and relkind in ('r', 'p') order by relname`,
    );
    return rows.map(({ relname }) => relname);
  };
  const append = (count: number) =>
    writeTo(database.url, async (data) => {
      await link(data, "svc");
      await data.append(Array.from({ length: count }, (_, issue) => event({ project: "svc", issue })));
    });
  await append(999);
  expect(await analyzed()).toEqual([]);
  await append(1);
  expect(await analyzed()).toEqual(
    expected.map((name) => (typeof name === "string" ? name : expect.stringMatching(name))),
  );
});
