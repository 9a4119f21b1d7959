/** How many connections to Postgres a command opens: many hosts sell few. */
import { expect, test } from "bun:test";
import { migratedDatabase, must, program, rowsOf, until } from "../support/harness.ts";

test.each([{ args: ["project", "list"] }, { args: ["project", "link", "atlas", "--repo", "acme/atlas"] }])(
  "svc $args opens at most five connections to Postgres",
  async ({ args }) => {
    await using database = await migratedDatabase("postgres");
    const name = new URL(database.url).pathname.slice(1);
    const count = async (query: string) =>
      Number(
        must((await rowsOf(must(process.env.SVC_TEST_DATABASE_URL), `${query} where datname = '${name}'`))[0])
          .n,
      );
    const { code } = await program([...args], { SVC_DATABASE_URL: database.url });
    expect(code).toBe(0);
    const isOver = async () => (await count("select count(*) as n from pg_stat_activity")) === 0;
    await until(isOver, "its last connection is closed");
    const opened = await count("select sessions as n from pg_stat_database");
    expect(opened).toBeGreaterThan(0);
    expect(opened).toBeLessThanOrEqual(5);
  },
);
