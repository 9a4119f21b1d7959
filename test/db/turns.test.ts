/** Appends of a node that waits for its turn behind other nodes on one Postgres. */
import { expect, test } from "bun:test";
import { SQL } from "bun";
import { nextTurnLock } from "../../db/engine/postgres-writer.ts";
import { openData } from "../../db/open.ts";
import { event, migratedDatabase, rowsOf, testClock, until } from "../support/harness.ts";

/** Two nodes that have just appended in turn, the first for several clients, and the lock of the next turn. */
async function openCrowded() {
  const database = await migratedDatabase("postgres");
  const open = () => openData(database.url, { now: testClock().now, log() {} });
  const [node, other] = await Promise.all([open(), open()]);
  const holder = new SQL(database.url, { max: 1 });
  const turns = (condition: string): Promise<Record<string, unknown>[]> =>
    rowsOf(
      database.url,
      `select pid from pg_locks where locktype = 'advisory' and objid = ${nextTurnLock} and ${condition}`,
    );
  const append = (...keys: string[]) =>
    Promise.all(keys.map((key) => node.append([event({ dedupe_key: key })])));

  await append("first");
  await other.append([event()]);
  await append("second", "third");

  await holder`select pg_advisory_lock(${nextTurnLock})`;
  return {
    node,
    append,
    other,
    waiting: () => turns("not granted"),
    turns: () => turns("true"),
    rows: (query: string) => rowsOf(database.url, query),
    letNext: async () => void (await holder`select pg_advisory_unlock(${nextTurnLock})`),
    async [Symbol.asyncDispose]() {
      await Promise.all([node.close(), other.close(), holder.close()]);
      await database[Symbol.asyncDispose]();
    },
  };
}

test("what comes while a node waits for its turn is appended in one transaction", async () => {
  await using crowded = await openCrowded();
  const early = crowded.append("early");
  await until(async () => (await crowded.waiting()).length === 1, "the node waits for its turn");
  const late = crowded.append(...Array.from({ length: 20 }, (_, index) => `late ${index}`));
  await crowded.letNext();
  const added = (await Promise.all([early, late])).flat().flatMap((result) => result.added);
  const [row] = await crowded.rows(`select count(*) as events, count(distinct xmin::text) as transactions
    from events where dedupe_key like '%early' or dedupe_key like '%late %'`);
  expect([Number(row?.events), Number(row?.transactions)]).toEqual([21, 1]);
  const [first = 0, ...others] = added.map(({ id }) => id);
  expect(others).toEqual(others.map((_, index) => first + 1 + index));
});

test("a node that waits for its turn lets another append, which has no others to wait for", async () => {
  await using crowded = await openCrowded();
  const early = crowded.append("early");
  await until(async () => (await crowded.waiting()).length === 1, "the node waits for its turn");
  await crowded.other.append([event()]);
  await crowded.letNext();
  expect((await early)[0]?.added).toHaveLength(1);
  expect(await crowded.turns()).toEqual([]);
});

test("a node whose connection breaks in its turn appends by another one, and leaves the turn to others", async () => {
  await using crowded = await openCrowded();
  const early = crowded.append("early");
  await until(async () => (await crowded.waiting()).length === 1, "the node waits for its turn");
  const [{ pid } = {}] = await crowded.waiting();
  await crowded.rows(`select pg_terminate_backend(${pid})`);
  await until(async () => {
    const [next] = await crowded.waiting();
    return next !== undefined && next.pid !== pid;
  }, "it waits on another connection");
  await crowded.letNext();
  expect((await early)[0]?.added).toHaveLength(1);
  await crowded.other.append([event()]);
  expect(await crowded.turns()).toEqual([]);
});
