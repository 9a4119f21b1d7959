/**
 * What Postgres refuses for reasons of its own: tried again where that helps, told as 503 where it does not,
 * never twice and never 500.
 */
import { expect, test } from "bun:test";
import { SQL } from "bun";
import {
  event,
  freshDatabase,
  openApp,
  programToken,
  rowsOf,
  sentKey,
  startServer,
} from "../support/harness.ts";

/** Makes the next inserts of events fail; a sequence keeps counting when its transaction is rolled back. */
const failing = (times: number, code: string) => [
  "drop sequence if exists trouble cascade",
  "create sequence trouble",
  `create or replace function make_trouble() returns trigger language plpgsql as $$ begin
     if nextval('trouble') <= ${times} then raise exception 'trouble' using errcode = '${code}'; end if; return new; end $$`,
  "create or replace trigger trouble before insert on events for each statement execute function make_trouble()",
];

test("a deadlock or serialization failure is retried; a persistent one is a 503", async () => {
  await using app = await openApp("postgres");
  const token = await app.mint(["feed:write"]);
  const sql = new SQL(app.url, { max: 1 });
  const append = async (dedupe_key: string) =>
    (await app.ask("/api/v1/events", { token, json: { events: [event({ dedupe_key })] } })).status;
  for (const code of ["40P01", "40001"]) {
    for (const statement of failing(3, code)) await sql.unsafe(statement);
    expect([code, await append(code)]).toEqual([code, 200]);
    for (const statement of failing(1_000, code)) await sql.unsafe(statement);
    expect([code, await append("never")]).toEqual([code, 503]);
  }
  await sql.unsafe("drop trigger trouble on events");
  expect(await append("40P01")).toBe(200);
  await sql.close();
  const rows = await rowsOf(app.url, "select dedupe_key from events order by id");
  expect(rows.map((row) => sentKey(row.dedupe_key))).toEqual(["40P01", "40001"]);
  expect(app.logged.filter(({ level }) => level === "error")).toEqual([]);
});

test("a Postgres out of connections causes 503s and nothing worse", async () => {
  await using database = await freshDatabase("postgres");
  const role = `few_${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
  const sql = new SQL(database.url, { max: 1 });
  await sql.unsafe(`create role ${role} login password 'few' connection limit 30`);
  await sql.unsafe(`alter database ${new URL(database.url).pathname.slice(1)} owner to ${role}`);
  await sql.unsafe(`alter schema public owner to ${role}`);
  const url = new URL(database.url);
  [url.username, url.password] = [role, "few"];
  {
    await using server = await startServer({ url: url.href });
    await sql.unsafe(`alter role ${role} connection limit 3`);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`;
    const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
    const append = (number: number) =>
      fetch(`${server.origin}/api/v1/events`, {
        method: "POST",
        headers,
        body: JSON.stringify({ events: [event({ dedupe_key: `${number}` })] }),
      });
    const read = () => fetch(`${server.origin}/api/v1/feed`, { headers });
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, number) => (number % 2 ? append(number) : read())),
    );
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 503)).toEqual(
      [],
    );
    for (let number = 1; number < 60; number += 2) while ((await append(number)).status !== 200);
    expect(server.errors()).not.toContain("unexpected error");
  }
  expect((await sql`select count(*)::int as count from events`)[0].count).toBe(30);
  await sql.unsafe(`reassign owned by ${role} to postgres`);
  await sql.unsafe(`drop role ${role}`).catch(() => {}); // it still has the database
  await sql.close();
});
