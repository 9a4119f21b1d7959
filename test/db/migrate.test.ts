/**
 * Migrations: they make the tables that the queries know, wholly or not at all, once, and never for an older
 * program.
 */
import { describe, expect, test } from "bun:test";
import { type PgTable, getTableConfig as pgConfig } from "drizzle-orm/pg-core";
import { getTableConfig as liteConfig } from "drizzle-orm/sqlite-core";
import { migrations } from "../../db/engine/migrate.ts";
import { openData } from "../../db/open.ts";
import { postgresTables } from "../../db/schema/postgres-tables.ts";
import { sqliteTables } from "../../db/schema/sqlite-tables.ts";
import type { FeedFilter } from "../../src/feed/filters.ts";
import { dropTasks } from "../support/database/drop-tasks.ts";
import {
  type Dialect,
  dialects,
  event,
  expectConsistent,
  freshDatabase,
  link,
  must,
  rowsOf,
  startServer,
  testClock,
} from "../support/harness.ts";

const clock = testClock();
const open = (url: string) => openData(url, { now: clock.now, log() {} });

interface Column {
  table: string;
  name: string;
  type: string;
  notNull: boolean;
}

const byName = (columns: Column[]): Column[] =>
  columns.toSorted((a, b) => (`${a.table}.${a.name}` < `${b.table}.${b.name}` ? -1 : 1));

/** The columns that db/schema/tables.ts speaks of. */
function existing(dialect: Dialect): Column[] {
  const tables =
    dialect === "sqlite"
      ? Object.values(sqliteTables()).map(liteConfig)
      : // safe because: the Postgres kit makes tables of Postgres, whatever type they are given out under
        Object.values(postgresTables() as unknown as Record<string, PgTable>).map(pgConfig);
  return tables.flatMap(({ name: table, columns }) =>
    columns.map((column) => ({
      table,
      name: column.name,
      type: column.getSQLType(),
      notNull: column.notNull,
    })),
  );
}

/**
 * The columns that a database has, of those tables. Others are what statements search by, each database in
 * its own way.
 */
async function real(dialect: Dialect, url: string): Promise<Column[]> {
  const rows = await rowsOf(
    url,
    dialect === "sqlite"
      ? `select t.name as "table", c.name, lower(c.type) as type, (c."notnull" = 1 or c.pk > 0) as "notNull"
         from pragma_table_list t, pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite_%' and t.schema = 'main'`
      : `select table_name as "table", column_name as name, data_type as type, is_nullable = 'NO' as "notNull"
         from information_schema.columns where table_schema = 'public'`,
  );
  return rows
    .map((row) => ({ ...(row as unknown as Column), notNull: Boolean(row.notNull) }))
    .filter(({ table }) => existing(dialect).some((one) => one.table === table));
}

/** Tables with their columns, and indexes, triggers and functions, as the database describes them. */
const schemaOf = (dialect: Dialect, url: string): Promise<Record<string, unknown>[]> =>
  rowsOf(
    url,
    dialect === "sqlite"
      ? "select name, sql from sqlite_schema order by name"
      : `select table_name || '.' || column_name as name, data_type || coalesce(column_default, '') as sql
           from information_schema.columns where table_schema = 'public'
         union all select indexname, indexdef from pg_indexes where schemaname = 'public'
         union all select tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
         union all select proname, prosrc from pg_proc where pronamespace = 'public'::regnamespace
         order by 1`,
  );

describe.each(dialects)("the migrations of %s", (dialect) => {
  test("create exactly the columns of the schema, with their types and nullability", async () => {
    await using database = await freshDatabase(dialect);
    await (await open(database.url)).close();
    expect(byName(await real(dialect, database.url))).toEqual(byName(existing(dialect)));
  });

  test("run only once", async () => {
    await using database = await freshDatabase(dialect);
    for (let i = 0; i < 3; i++) await (await open(database.url)).close();
    const names = migrations.map(({ name }) => ({ name }));
    expect(await rowsOf(database.url, "select name from schema_migrations order by name")).toEqual(names);
  });

  test("added later run on a database in use and keep its rows", async () => {
    await using database = await freshDatabase(dialect);
    const data = await open(database.url);
    await link(data, "atlas");
    await data.atomically((writes) => writes.append([event({ project: "atlas" })]));
    await data.close();
    await using _ = withMigration("0999_more", "create table more (a text); insert into more values ('x')");
    const later = await open(database.url);
    expect(await expectConsistent(later)).toBe(1);
    await later.close();
    expect(await rowsOf(database.url, "select * from more")).toEqual([{ a: "x" }]);
  });

  test.each([
    ["a new database", false],
    ["a database in use", true],
  ])("that fail half-way leave %s as it was", async (_, inUse) => {
    await using database = await freshDatabase(dialect);
    if (inUse) await (await open(database.url)).close();
    {
      await using _ = withMigration("0999_broken", "create table more (a text); create nonsense");
      expect(await open(database.url).catch((error) => String(error))).toContain("syntax error");
    }
    const data = await open(database.url);
    await data.atomically((writes) => writes.append([event()]));
    await data.close();
    expect(byName(await real(dialect, database.url))).toEqual(byName(existing(dialect)));
    expect((await rowsOf(database.url, "select name from schema_migrations")).length).toBe(migrations.length);
  });

  test("of a newer version stop the start with one clear line and change nothing", async () => {
    await using database = await freshDatabase(dialect);
    {
      await using _ = withMigration("0999_more", "create table more (a text)");
      await (await open(database.url)).close();
    }
    const refusal = await open(database.url).catch((error) => error);
    expect(refusal.name).toBe("DatabaseError");
    expect(refusal.message).toMatch(/^[^\n]*newer[^\n]*0999_more[^\n]*$/);
    expect(refusal.message).not.toContain("postgres:");
    const failed = await startServer(database).catch((error) => String(error.message));
    expect(failed).toMatch(/^svc serve ended: svc: .*newer.*\n$/);
    expect((await rowsOf(database.url, "select * from more")).length).toBe(0);
  });

  test("from before the baseline: a database that has all of them is taken over, an older one says the commit to pass through", async () => {
    await using database = await freshDatabase(dialect);
    const data = await open(database.url);
    await link(data, "atlas");
    await data.append([event({ project: "atlas" })]);
    await data.close();
    const schema = await schemaOf(dialect, database.url);
    const ofBaseline = "select applied_at as at from schema_migrations where name = '0054_baseline'";
    const created = await rowsOf(database.url, ofBaseline);
    for (const statement of [
      "create table listed (one bigint not null primary key)",
      `alter table feed_head add column listed ${dialect === "sqlite" ? "integer" : "bigint"} not null default 0`,
      ...(dialect === "postgres"
        ? ["create function keep_listed() returns trigger language plpgsql as $$ begin return new; end $$"]
        : []),
      ...dropTasks(dialect),
      ...["repo_names", "task_url"].map((column) => `alter table projects drop column ${column}`),
      ...["task", "thumb_format"].map((column) => `alter table assets drop column ${column}`),
      ...["assets", "uploads"].map((table) => `alter table ${table} drop column filename`),
      "drop table comparisons",
      "drop table fingerprints",
      "drop table removals",
      ...["of_reviewer", "proposed", "contradicting", "anchored", "gone", "held"].map(
        (name) => `drop index decisions_${name}`,
      ),
      ...["reviewed_file", "approved_title"].map((name) => `drop index assets_${name}`),
      ...["anchors", "anchors_at", "gone_at", "held_at"].map(
        (column) => `alter table decisions drop column ${column}`,
      ),
      ...["contradicts", "standing"].map((column) => `alter table decisions drop column ${column}`),
      "drop index decisions_checked",
      ...["checks", "stops"].map((column) => `alter table decisions drop column ${column}`),
      "drop index assets_title",
      "drop table identities",
      ...["people", "person_identities", "unmapped_identities", "person_usage"].map(
        (table) => `drop table ${table}`,
      ),
      ...["owner", "team"].map((column) => `alter table tokens drop column ${column}`),
      ...["person", "team", "waiting_since", "files"].map((name) => `alter table runs drop column ${name}`),
      ...["identity", "checked_at", "device", "used_at"].map(
        (column) => `alter table sessions drop column ${column}`,
      ),
      ...["saved_views", "claims"].map((table) => `drop table ${table}`),
      ...(dialect === "postgres"
        ? [
            ...["team", "person"].map((column) => `alter table facets drop column ${column}`),
            "alter table facets add unique (project, kind, actor, lane)",
          ]
        : ["create index events_of_kind on events (kind)"]),
      "drop index budgets_scope",
      ...["team", "person"].map((column) => `alter table budgets drop column ${column}`),
      "create unique index budgets_scope on budgets (coalesce(project, ''), coalesce(lane, ''), period)",
      "drop index shares_named",
      ...["subject", '"set"', "kind", "tag", "name_source"].map(
        (column) => `alter table shares drop column ${column}`,
      ),
      "delete from schema_migrations where name > '0054_baseline'",
      "update schema_migrations set name = '0001_init'",
      "insert into schema_migrations (name, applied_at) values ('0053_run_titles', 9e15)",
    ])
      await rowsOf(database.url, statement);
    const older = await open(database.url).catch((error) => String(error));
    expect(older).toMatch(
      /^DatabaseError: \S+ is too old for this svc\. .* of commit [0-9a-f]{8} first\. [^\n]*$/,
    );
    await rowsOf(
      database.url,
      "insert into schema_migrations (name, applied_at) values ('0054_sign_in_email', 9e15)",
    );
    for (let round = 0; round < 2; round++) {
      const later = await open(database.url);
      expect(await expectConsistent(later)).toBe(1);
      const refusals = await later.snapshot(async (all) =>
        [["0001_init"], ["0001_init", "0054_sign_in_email"], await all.migrations(), ["0999_more"]].map(
          (names) => all.refusalOf(names)?.split(/[ .]/, 3).join(" ") ?? null,
        ),
      );
      expect(refusals).toEqual(["is too old", null, null, "is newer than"]);
      await later.close();
    }
    expect(await schemaOf(dialect, database.url)).toEqual(schema);
    expect(await rowsOf(database.url, ofBaseline)).toEqual(created);
  });

  test("find the events of a team and a person that were appended before facets told them apart", async () => {
    await using database = await freshDatabase(dialect);
    const at = migrations.findIndex(({ name }) => name === "0081_owner_facets");
    const later = migrations.splice(at);
    await (await open(database.url)).close();
    migrations.push(...later);
    const owners = [{ team: "maps", person: "zelda" }, { team: "data" }, {}];
    for (const [index, owner] of owners.entries()) {
      const [ts, id] = [Date.UTC(2026, 0, 2) * 1000 + index, index + 1];
      const fields = { id, kind: "step.usage", actor: "agent:a", project: "atlas", lane: null, ...owner };
      const wire = JSON.stringify({ ...fields, ts: "2026-01-02T00:00:00Z", summary: '"team":"other"' });
      for (const statement of [
        `insert into events (ts, id, kind, actor, project, wire)
          values (${ts}, ${id}, 'step.usage', 'agent:a', 'atlas', '${wire}')`,
        `insert into facet_events (facet, ts) values (1, ${ts})`,
      ])
        await rowsOf(database.url, statement);
    }
    const facet = "(project, kind, actor, lane) values ('atlas', 'step.usage', 'agent:a', '')";
    await rowsOf(database.url, `insert into facets ${facet}`);
    await rowsOf(
      database.url,
      `insert into person_usage (project, day, person, team, runs, failures, merges)
        values ('atlas', '2026-01-02', 'zelda', 'maps', 0, 0, 0)`,
    );
    const data = await open(database.url);
    const found = async (filter: FeedFilter) =>
      (await data.feed(null, { ...filter, limit: 9 })).map(({ id }) => id);
    expect(await found({ team: "maps" })).toEqual([1]);
    expect(await found({ team: ["maps", "data"], kind: "step.usage" })).toEqual([2, 1]);
    expect(await found({ person: "zelda" })).toEqual([1]);
    expect(await found({ team: "other" })).toEqual([]);
    expect(await found({ project: "atlas", kind: "step.usage" })).toEqual([3, 2, 1]);
    expect(await rowsOf(database.url, "select facet from facet_events")).toHaveLength(3);
    await data.close();
  });

  test("run once when several processes start concurrently without a database, and all of them serve", async () => {
    for (let round = 0; round < 3; round++) {
      await using database = await freshDatabase(dialect);
      const all = await Promise.all(Array.from({ length: 5 }, () => open(database.url)));
      await Promise.all(all.map((data) => data.atomically((writes) => writes.append([event()]))));
      expect(await expectConsistent(must(all[0]))).toBe(5);
      for (const data of all) await data.close();
    }
  });
});

test("the migrations of both dialects create the same tables", async () => {
  const names = await Promise.all(
    dialects.map(async (dialect) => {
      await using database = await freshDatabase(dialect);
      await (await open(database.url)).close();
      const query =
        dialect === "sqlite"
          ? "select name from pragma_table_list where schema = 'main' and type <> 'shadow' and name not like 'sqlite_%'"
          : "select tablename as name from pg_tables where schemaname = 'public'";
      return (await rowsOf(database.url, query)).map((row) => row.name as string).toSorted();
    }),
  );
  expect(names[0]).toEqual(must(names[1]));
  expect(names[0]).toContain("events");
});

/** Simulates a newer version with another migration. */
function withMigration(name: string, sql: string): AsyncDisposable {
  migrations.push({ name, sqlite: sql, postgres: sql });
  return { [Symbol.asyncDispose]: async () => void migrations.pop() };
}
