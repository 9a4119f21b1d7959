/**
 * A Postgres that drops every connection, again and again, while events come in: told as 503, lost by nobody,
 * twice for nobody.
 */

import { expect, test } from "bun:test";
import { SQL } from "bun";
import { openData } from "../../db/open.ts";
import { startPostgres } from "../support/database/postgres.ts";
import {
  event,
  expectConsistent,
  link,
  migratedDatabase,
  must,
  programToken,
  rowsOf,
  type Server,
  sentKey,
  startServer,
  type TestDatabase,
  testClock,
} from "../support/harness.ts";
import { readFrames } from "../support/http/server-sent-events.ts";
import { reached, scale, times } from "./promises.ts";

const drops = times("drops");
const writers = 4;
const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };

/** Appends batches until told to stop; one that was refused is sent again, as it is. */
async function write(
  server: Server,
  writer: number,
  ended: AbortSignal,
): Promise<{ keys: string[]; refusals: number }> {
  const keys: string[] = [];
  let refusals = 0;
  for (let number = 0; !ended.aborted; number++) {
    const batch = Array.from({ length: 1 + (number % 5) }, (_, index) => `${writer}-${number}-${index}`);
    const body = JSON.stringify({
      events: batch.map((dedupe_key) => event({ dedupe_key, project: "atlas", tokens_in: 1 })),
    });
    for (;;) {
      const response = await fetch(`${server.origin}/api/v1/events`, { method: "POST", headers, body });
      if (response.status === 200) break;
      expect([response.status, response.headers.get("retry-after"), await response.text()]).toMatchObject([
        503,
        "2",
        expect.any(String),
      ]);
      refusals++;
    }
    keys.push(...batch);
  }
  return { keys, refusals };
}

/** Follows the stream, resuming after the last event when it breaks, until it has read a number of events. */
async function listen(server: Server, wanted: Promise<number>): Promise<number[]> {
  const found: number[] = [];
  const complete = new AbortController();
  let total = Number.POSITIVE_INFINITY;
  const look = () => found.length >= total && complete.abort();
  // The last event may arrive before its number is known.
  void wanted.then((count) => {
    total = count;
    look();
  });
  while (!complete.signal.aborted) {
    const resume = { "last-event-id": String(found.at(-1)) };
    try {
      const response = await fetch(`${server.origin}/api/v1/feed/stream?after=1970-01-01T00:00:00Z`, {
        headers: { ...headers, ...(found.length > 0 && resume) },
        signal: complete.signal,
      });
      if (response.status === 503) continue;
      for await (const { id } of readFrames(response).events) {
        found.push(id);
        look();
      }
    } catch {} // a read of the table failed, so the stream broke off; or all is seen
  }
  return found;
}

/** Events come in while something happens to Postgres again and again. */
async function requireUnharmed(
  database: Pick<TestDatabase, "url">,
  often: number,
  happen: () => Promise<unknown>,
): Promise<void> {
  const data = await openData(database.url, { now: testClock().now, log() {} });
  await link(data, "atlas");
  await using server = await startServer(database);
  const total = Promise.withResolvers<number>();
  const listening = listen(server, total.promise);
  const ended = new AbortController();
  const writing = Promise.all(
    Array.from({ length: writers }, (_, writer) => write(server, writer, ended.signal)),
  );
  for (let time = 0; time < often; time++) {
    await Bun.sleep(20 + Math.random() * 150);
    await happen();
  }
  ended.abort();
  const written = await writing;
  const keys = written.flatMap((one) => one.keys);
  total.resolve(keys.length);
  const stored = (await rowsOf(database.url, "select dedupe_key from events")).map((row) =>
    sentKey(row.dedupe_key),
  );
  expect(stored.toSorted()).toEqual(keys.toSorted());
  expect(await listening).toEqual(Array.from({ length: keys.length }, (_, index) => index + 1));
  expect(written.reduce((sum, one) => sum + one.refusals, 0)).toBeGreaterThan(0);
  expect(await expectConsistent(data)).toBe(keys.length);
  await data.close();
  expect(server.errors()).not.toContain("unexpected error");
  expect(await server.terminate()).toBe(0);
}

test(`${drops} times: every event is there once, the stream shows each once, and the server goes on`, async () => {
  await using database = await migratedDatabase("postgres");
  const admin = new SQL(must(process.env.SVC_TEST_DATABASE_URL), { max: 1 });
  const name = new URL(database.url).pathname.slice(1);
  await requireUnharmed(
    database,
    drops,
    () => admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`,
  );
  await admin.close();
  reached("drops", drops);
});

test.skipIf(scale === "suite")(
  "a Postgres that crashes and comes back: every event is there once, and the server goes on",
  async () => {
    const postgres = await startPostgres({ durable: true });
    try {
      await requireUnharmed(postgres, times("restarts"), postgres.restart);
      reached("restarts", times("restarts"));
    } finally {
      await postgres.stop();
    }
  },
);
