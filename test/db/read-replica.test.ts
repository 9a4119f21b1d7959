/** A standby that answers long reads, while every client reads what it wrote. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import type { Data } from "../../src/api/port.ts";
import type { Log } from "../../src/core/context.ts";
import { termOf } from "../../src/core/text/tokenizer.ts";
import { type Postgres, type Standby, startPostgres } from "../support/database/postgres.ts";
import { event, must, programToken, rowsOf, startServer, testClock, until } from "../support/harness.ts";

let primary: Postgres;
let standby: Standby;
const nodes: Data[] = [];
const lines: string[] = [];
const log: Log = (_level, message, fields) => void lines.push(`${message} ${JSON.stringify(fields ?? {})}`);

const open = (readUrl?: string) =>
  openData(primary.url, { now: testClock().now, log, ...(readUrl && { readUrl }) });

beforeAll(async () => {
  primary = await startPostgres({ durable: false, cacheMb: 16, isReplicated: true });
  await (await open()).close();
  standby = await primary.startStandby();
  nodes.push(await open(standby.url), await open(standby.url));
}, 60_000);

afterAll(async () => {
  for (const node of nodes) await node.close();
  await standby?.stop();
  await primary?.stop();
});

/** How many rows of the feed the server has read. Its own sessions report that when they are idle. */
async function eventsRead(url: string): Promise<number> {
  const [row] = await rowsOf(
    url,
    "select coalesce(sum(idx_scan + seq_scan), 0)::int as scans from pg_stat_user_tables where relname = 'events'",
  );
  return Number(must(row).scans);
}

const sighting = () => event({ kind: "run.finished", summary: "Saw a walrus" });

const onStandby = (call: string) => rowsOf(standby.url, `select ${call}()`);

/** Appends on one node and reads the first page on the other, each event at once. */
async function readsWhatIsWritten(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const [writer, reader] = i % 2 ? nodes : [...nodes].reverse();
    const { added } = await must(writer).append([sighting()]);
    const pages = await Promise.all(
      [must(writer), must(reader)].map((node) => node.feed(null, { limit: 1 })),
    );
    const { id } = must(added[0]);
    expect(pages.map(([first]) => first?.id)).toEqual([id, id]);
    // The rows of the search are derived after the append.
    const [matches] = await must(reader).countMatches(null, [{ term: termOf("walrus") }], 1_000);
    expect(matches?.event).toBe(id);
  }
}

const readPage = (): Promise<unknown> => must(nodes[0]).feed(null, { limit: 1 });

const answersOnStandby = (read = readPage) =>
  until(async () => {
    const before = await eventsRead(standby.url);
    for (let i = 0; i < 5; i++) await read();
    return (await eventsRead(standby.url)) > before;
  }, "the standby answers pages");

test("the standby answers pages, and a client reads what it wrote through any node", async () => {
  await readsWhatIsWritten(100);
  await answersOnStandby();
  expect(lines).toEqual([]);
}, 60_000);

test("a server takes the standby from SVC_DATABASE_READ_URL", async () => {
  await using server = await startServer(primary, { SVC_DATABASE_READ_URL: standby.url });
  const headers = { authorization: `Bearer ${programToken}` };
  await answersOnStandby(async () => {
    await must(nodes[0]).append([sighting()]); // or the page is cached
    expect((await fetch(`${server.origin}/api/v1/feed`, { headers })).status).toBe(200);
  });
}, 60_000);

test("a client reads what it wrote when the replay is paused, and the standby answers again later", async () => {
  await onStandby("pg_wal_replay_pause");
  await readsWhatIsWritten(100);
  await onStandby("pg_wal_replay_resume");
  await answersOnStandby();
  expect(lines).toEqual([]);
}, 60_000);

test("no read fails when the standby goes away, and one line says so", async () => {
  let isGone = false;
  const going = standby.stop().then(() => (isGone = true));
  const read = async () => {
    while (!isGone) await Promise.all(nodes.map((node) => node.feed(null, { limit: 5 })));
  };
  await Promise.all([going, read(), read(), read()]);
  await readsWhatIsWritten(10);
  await until(() => lines.length === nodes.length, "each node says so");
  for (const line of lines)
    expect(line).toMatch(/^the read replica cannot be used: reads go to the primary /);
  await standby.restart();
  await answersOnStandby();
}, 60_000);

test("a server that is not a replica of the database is not used, and an unreachable one stops no start", async () => {
  for (const [url, reason] of [
    [primary.url, "it is a primary; name a standby"],
    [
      Object.assign(new URL(standby.url), { pathname: "/template1" }).href,
      "it is not a replica of the database",
    ],
    ["postgres://svc@127.0.0.1:1/svc", "the host is unknown or refuses connections"],
  ] as const) {
    lines.length = 0;
    const node = await open(url);
    const { added } = await node.append([event()]);
    expect((await node.feed(null, { limit: 1 })).map(({ id }) => id)).toEqual([must(added[0]).id]);
    await node.close();
    expect(lines).toEqual([expect.stringContaining(reason)]);
  }
}, 60_000);

test("a standby is no primary", async () => {
  const refusal = await openData(standby.url, { now: testClock().now, log }).catch(String);
  expect(refusal).toMatch(/it is a standby, which takes no writes; name the primary/);
});
