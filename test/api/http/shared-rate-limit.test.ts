/** The shared rate limit of several processes on one Postgres. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import type { RateLimitResult } from "../../../src/api/http/limits/rate-limit.ts";
import { openLimiter } from "../../../src/api/http/limits/shared-rate-limit.ts";
import type { Data } from "../../../src/api/port.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import {
  migratedDatabase,
  must,
  programToken,
  rowsOf,
  type Server,
  startServer,
  type TestDatabase,
  testClock,
  until,
} from "../../support/harness.ts";
import { startProxy } from "../../support/servers/proxy.ts";

const limit = { quota: 60, seconds: 60 };
const clock = testClock();

/** Several limiters with their own database connections, like separate processes. */
async function open(
  database: TestDatabase,
  processes: number,
  change: (data: Data) => Data = (data) => data,
) {
  const datas = await Promise.all(
    Array.from({ length: processes }, () => openData(database.url, { now: clock.now, log() {} })),
  );
  const takes = datas.map((data) => openLimiter({ data: change(data) }, limit, "api"));
  return {
    ask: async (process: number, client = "a"): Promise<RateLimitResult> =>
      must(takes[process % processes])(client, clock.now()),
    [Symbol.asyncDispose]: async () => void (await Promise.all(datas.map((data) => data.close()))),
  };
}

const allowedOf = (answers: RateLimitResult[]): number => answers.filter(({ allowed }) => allowed).length;

describe("three processes that share a quota of 60", () => {
  test("allow 60 requests of a client that alternates between them, with exact counts near the end", async () => {
    await using database = await migratedDatabase("postgres");
    await using nodes = await open(database, 3);
    const answers: RateLimitResult[] = [];
    for (let index = 0; index < 90; index++) answers.push(await nodes.ask(index));
    expect(answers.map((one) => one.allowed)).toEqual(answers.map((_, index) => index < 60));
    expect(answers.slice(50, 61).map((one) => one.remaining)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]);
    expect((await nodes.ask(0, "b")).remaining).toBe(59);
  });

  test("allow 60 of 300 concurrent requests", async () => {
    await using database = await migratedDatabase("postgres");
    await using nodes = await open(database, 3);
    const answers = await Promise.all(Array.from({ length: 300 }, (_, index) => nodes.ask(index)));
    expect(allowedOf(answers)).toBe(60);
    expect(
      answers
        .filter((one) => one.allowed)
        .map((one) => one.remaining)
        .toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: 60 }, (_, index) => index));
  });

  test("know immediately what a client used elsewhere, and reset together", async () => {
    await using database = await migratedDatabase("postgres");
    await using nodes = await open(database, 3);
    for (let index = 0; index < 60; index++) await nodes.ask(0);
    expect([await nodes.ask(1), await nodes.ask(2)]).toEqual([
      { allowed: false, remaining: 0, resetSeconds: 60 },
      { allowed: false, remaining: 0, resetSeconds: 60 },
    ]);
    clock.advance(20 * secondMicros);
    expect((await nodes.ask(1)).resetSeconds).toBe(40);
    clock.advance(40 * secondMicros);
    expect(await nodes.ask(2)).toEqual({ allowed: true, remaining: 59, resetSeconds: 60 });
    expect(await nodes.ask(1)).toEqual({ allowed: true, remaining: 58, resetSeconds: 60 });
  });

  test("send few statements for a client below a quarter of its quota, and store no address", async () => {
    await using database = await migratedDatabase("postgres");
    let statements = 0;
    await using nodes = await open(database, 1, (data) => ({
      ...data,
      countRequests: (...given) => {
        statements++;
        return must(data.countRequests)(...given);
      },
    }));
    for (let requestCount = 0; requestCount < 80; requestCount++) await nodes.ask(0, "greedy");
    expect(statements).toBeLessThanOrEqual(60); // what is used up is known here
    statements = 0;
    for (let round = 0; round < 14; round++)
      await Promise.all(Array.from({ length: 20 }, (_, client) => nodes.ask(0, `192.0.2.${client}`)));
    const counted = () => rowsOf(database.url, "select client, used::int from request_windows");
    await until(
      async () => (await counted()).filter((row) => row.used === 14).length === 20,
      "all is reported",
    );
    expect(JSON.stringify(await counted())).not.toContain("192.0");
    expect(statements).toBeLessThan(20);
  });

  test("remove rows of ended windows", async () => {
    await using database = await migratedDatabase("postgres");
    await using early = await open(database, 1);
    await early.ask(0, "client");
    clock.advance(3 * limit.seconds * secondMicros);
    await using late = await open(database, 1);
    await late.ask(0, "other client");
    await until(
      async () => (await rowsOf(database.url, "select 1 from request_windows")).length === 1,
      "the old one is gone",
    );
  });

  test("count separately while the database is unavailable, without delay or error, and together again afterwards", async () => {
    await using database = await migratedDatabase("postgres");
    let away = false;
    let inVain = 0;
    await using nodes = await open(database, 3, (data) => ({
      ...data,
      countRequests: (...given) => {
        inVain += away ? 1 : 0;
        return away ? new Promise(() => {}) : must(data.countRequests)(...given);
      },
    }));
    for (let index = 0; index < 30; index++) await nodes.ask(index, "c");
    away = true;
    const answers = await Promise.all(Array.from({ length: 300 }, (_, index) => nodes.ask(index, "c")));
    expect(allowedOf(answers)).toBeGreaterThanOrEqual(30);
    expect(allowedOf(answers)).toBeLessThanOrEqual(3 * 60 - 30);
    for (let index = 0; index < 30; index++) await nodes.ask(index, "d");
    expect(inVain).toBeLessThan(10); // each leaves the database alone for a while
    away = false;
    let client = 0;
    const hears = async () =>
      (await nodes.ask(1, `${++client}`)).remaining === 59 &&
      (await nodes.ask(2, `${client}`)).remaining === 58;
    await until(hears, "processes hear of each other again");
  });
});

test("two servers share one quota, and enforce it while the database is down", async () => {
  await using database = await migratedDatabase("postgres");
  await using proxy = await startProxy(new URL(database.url));
  const through = { url: proxy.url(database.url) };
  await using first = await startServer(through, { SVC_RATE_LIMIT: "20/3600" });
  await using second = await startServer(through, { SVC_RATE_LIMIT: "20/3600" });
  const info = async ({ origin }: Server) => {
    const response = await fetch(`${origin}/api/v1/info`, {
      headers: { authorization: `Bearer ${programToken}` },
    });
    return [response.status, /r=(\d+)/.exec(response.headers.get("ratelimit") ?? "")?.[1]];
  };
  for (let left = 19; left >= 8; left--)
    expect(await info(left % 2 ? first : second)).toEqual([
      200,
      left > 9 ? expect.any(String) : String(left),
    ]);
  proxy.stall();
  for (let left = 7; left >= 0; left--) expect(await info(second)).toEqual([200, String(left)]);
  expect(await info(second)).toEqual([429, "0"]);
});
