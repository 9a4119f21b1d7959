/**
 * A lock that another process holds on the database: writers are told to come back, readers notice nothing.
 */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { openData } from "../../db/open.ts";
import type { Data } from "../../src/api/port.ts";
import {
  type Dialect,
  dialects,
  event,
  fileOf,
  migratedDatabase,
  openTestData,
  programToken,
  startServer,
  type TestDatabase,
} from "../support/harness.ts";

/** Takes the lock of all writers. @returns lets it go */
async function hold(dialect: Dialect, database: Pick<TestDatabase, "url">): Promise<() => Promise<void>> {
  if (dialect === "sqlite") {
    const holder = new Database(fileOf(database), { readwrite: true });
    holder.exec("begin immediate");
    return async () => {
      holder.exec("rollback");
      holder.close();
    };
  }
  const holder = new SQL(database.url, { max: 1 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const transaction = holder.begin(async (tx) => {
    await tx`select * from feed_head for update`;
    locked.resolve();
    await promise;
  });
  await locked.promise;
  return async () => {
    resolve();
    await transaction;
    await holder.close();
  };
}

describe.each(dialects)("the write lock of %s, held by another process", (dialect) => {
  test.concurrent("costs writers a 503 within ten seconds, however many they are, and readers nothing", async () => {
    await using database = await migratedDatabase(dialect);
    await using server = await startServer(database);
    const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
    const body = JSON.stringify({ events: [event()] });
    const post = () =>
      fetch(`${server.origin}/api/v1/events`, {
        method: "POST",
        headers,
        body,
        signal: AbortSignal.timeout(10_000),
      });
    expect((await post()).status).toBe(200);
    const release = await hold(dialect, database);
    let waiting = true;
    const refusals = Promise.all(Array.from({ length: 24 }, post)).finally(() => (waiting = false));
    let reads = 0;
    for (; waiting; reads++) {
      const read = await fetch(`${server.origin}/api/v1/feed`, {
        headers,
        signal: AbortSignal.timeout(2_000),
      });
      expect([read.status, ((await read.json()) as { count: number }).count]).toEqual([200, 1]);
      expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
      await Bun.sleep(200);
    }
    expect(reads).toBeGreaterThan(10);
    for (const response of await refusals) {
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
      expect(await response.json()).toMatchObject({
        status: 503,
        title: "Service Unavailable",
        instance: "/api/v1/events",
      });
    }
    await release();
    expect((await post()).status).toBe(200);
  });

  test.concurrent("that changes owners refuses no writer, however long the queue is", async () => {
    await using testData = await openTestData(dialect);
    const other = await openData(testData.url, { now: testData.clock.now, log() {} });
    const slowly = (data: Data) =>
      data.atomically(async (writes) => {
        await Bun.sleep(200);
        return writes.append([event()]);
      });
    const writers = Array.from({ length: 45 }, (_, index) => slowly(index % 2 ? other : testData.data));
    expect((await Promise.all(writers)).length).toBe(45); // longer than the timeout of a lock
    await other.close();
  });

  test.concurrent("is waited for: a writer that gets it in time goes on", async () => {
    await using testData = await openTestData(dialect);
    const release = await hold(dialect, testData);
    const appended = testData.data.atomically((writes) => writes.append([event()]));
    expect(await Promise.race([appended, Bun.sleep(300).then(() => "still waiting")])).toBe("still waiting");
    await release();
    expect((await appended).added.length).toBe(1);
  });

  test.concurrent("does not keep a server from starting", async () => {
    await using testData = await openTestData(dialect);
    const release = await hold(dialect, testData);
    const starting = startServer(testData);
    await Bun.sleep(300);
    await release();
    await using server = await starting;
    expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
  });
});
