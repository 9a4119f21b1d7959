/** A process migrates a Postgres database that others use: as they hold locks, it waits, and they go on. */
import { expect, test } from "bun:test";
import { SQL } from "bun";
import { sql } from "drizzle-orm";
import { migrations } from "../../db/engine/migrate.ts";
import { openPostgres } from "../../db/engine/postgres.ts";
import { allRows } from "../../db/query/statements.ts";
import { migratedDatabase, rowsOf, type TestDatabase, until } from "../support/harness.ts";

const later = "alter table assets add column later text; alter table events add column later text";

/** Migrations of this process include one more, which changes two tables. */
function laterVersion(): Disposable {
  migrations.push({ name: "9999_later", sqlite: later, postgres: later });
  return { [Symbol.dispose]: () => void migrations.pop() };
}

/** Waits until a session of the database waits for a lock. */
const untilWaiting = ({ url }: TestDatabase) =>
  until(
    async () =>
      (
        await rowsOf(
          url,
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
      ).length === 1,
    "a session to wait for a lock",
  );

const hasMigrated = async ({ url }: TestDatabase): Promise<boolean> =>
  (await rowsOf(url, "select 1 from schema_migrations where name = '9999_later'")).length === 1;

test("an append that has the write lock reads and writes every table while a later version waits to migrate", async () => {
  await using database = await migratedDatabase("postgres");
  using _ = laterVersion();
  await using appending = new SQL(database.url, { max: 1 });
  const started = await appending.begin(async (tx) => {
    await tx`select ts from feed_head for update`;
    await tx`lock table events in row exclusive mode`;
    const starting = openPostgres(database.url);
    await untilWaiting(database);
    await tx`lock table assets in row exclusive mode nowait`;
    return { starting };
  });
  await (await started.starting).close();
  expect(await hasMigrated(database)).toBe(true);
});

test("a migration that a read meets in a deadlock is repeated", async () => {
  await using database = await migratedDatabase("postgres");
  using _ = laterVersion();
  await using reading = new SQL(database.url, { max: 1 });
  const started = await reading.begin(async (tx) => {
    await tx`set local deadlock_timeout = '20s'`; // the other one finds the deadlock
    await tx`lock table events in access share mode`;
    const starting = openPostgres(database.url);
    await untilWaiting(database);
    await tx`lock table assets in access share mode`;
    return { starting };
  });
  await (await started.starting).close();
  expect(await hasMigrated(database)).toBe(true);
});

test("a read that a migration meets in a deadlock is repeated", async () => {
  await using database = await migratedDatabase("postgres");
  const backend = await openPostgres(database.url);
  await using migrating = new SQL(database.url, { max: 1 });
  const started = await migrating.begin(async (tx) => {
    await tx`set local deadlock_timeout = '20s'`;
    await tx`lock table assets in access exclusive mode`;
    const joined = sql`select count(*)::int as count from events, assets`;
    const reading = backend.outsideTransaction(() => allRows<{ count: number }>(backend.readSession, joined));
    await untilWaiting(database);
    await tx`lock table events in access exclusive mode`;
    return { reading };
  });
  const [row] = await started.reading;
  expect(row?.count).toBe(0);
  await backend.close();
});
