/** Appending events: ids, rising times, deduplication, several processes. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import type { Data } from "../../src/api/port.ts";
import { dayMicros, fromMicros, secondMicros, toMicros } from "../../src/core/lib/time.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import { databaseKinds, event, link, openTestData, rowsOf, until } from "../support/harness.ts";

const noon = toMicros("2026-03-01T12:00:00Z");
const append = (data: Data, events: Appendable[]) => data.atomically((writes) => writes.append(events));
const timesOf = async (data: Data) =>
  (await data.feed(null, { order: "oldest first", after: -1e15, limit: 5000 })).map((row) => row.ts);

describe.each(databaseKinds)("append on %s", (dialect) => {
  test("assigns each event the next id and a unique microsecond, and stores its rendered text", async () => {
    await using testData = await openTestData(dialect);
    const { added, duplicates } = await append(testData.data, [
      event(),
      event({ kind: "step.usage", tokens_in: 7 }),
      event(),
    ]);
    expect(duplicates).toBe(0);
    expect(added.map((row) => [row.id, row.ts])).toEqual([
      [1, noon],
      [2, noon + 1],
      [3, noon + 2],
    ]);
    const [third, second] = await testData.data.feed(null, { limit: 2 });
    expect(third).toEqual({ id: 3, ts: noon + 2, wire: expect.any(String) });
    expect(JSON.parse(second?.wire ?? "")).toEqual({
      ...{
        id: 2,
        ts: "2026-03-01T12:00:00.000001Z",
        kind: "step.usage",
        actor: "agent:codex",
        summary: "Run 7 started",
      },
      ...{ project: null, repo: null, issue: null, pr: null, lane: null, model: null, subscription: null },
      ...{
        tokens_in: 7,
        tokens_out: 0,
        cache_read: 0,
        cache_write: 0,
        cost_equiv: 0,
        duration_ms: null,
        url: null,
      },
    });
    expect(await testData.data.head()).toBe(noon + 2);
    expect(await testData.data.eventTime(2)).toBe(noon + 1);
    expect(await testData.data.eventTime(4)).toBeNull();
  });

  test("a repeated dedupe key is skipped, in the same batch and later", async () => {
    await using testData = await openTestData(dialect);
    const first = await append(testData.data, [
      event({ dedupe_key: "a" }),
      event({ dedupe_key: "a" }),
      event({ dedupe_key: "b" }),
    ]);
    expect([first.added.length, first.duplicates]).toEqual([2, 1]);
    const second = await append(testData.data, [
      event({ dedupe_key: "b" }),
      event({ dedupe_key: "c" }),
      event(),
      event(),
    ]);
    expect([second.added.map((row) => row.id), second.duplicates]).toEqual([[3, 4, 5], 1]);
    const third = await append(testData.data, [event({ dedupe_key: "a" })]);
    expect(third).toEqual({ added: [], duplicates: 1 });
  });

  test("the id of a webhook delivery is a second deduplication key", async () => {
    await using testData = await openTestData(dialect);
    await append(testData.data, [event({ dedupe_key: "a", delivery_id: "1" })]);
    const { added, duplicates } = await append(testData.data, [
      event({ dedupe_key: "a", delivery_id: "2" }),
      event({ dedupe_key: "b", delivery_id: "1" }),
      event({ dedupe_key: "c", delivery_id: "3" }),
      event({ dedupe_key: "d", delivery_id: "3" }),
    ]);
    expect([added.length, duplicates]).toEqual([1, 3]);
  });

  test("text is returned unchanged, and any payload is stored but never returned", async () => {
    await using testData = await openTestData(dialect);
    const summary = `Zoë said "it's done" \\o/ — 完了 🚀 <b>'; drop table events; --`;
    const payload = { text: "NUL \u0000 and a lone \ud800 surrogate", deep: [[{ secret: "kept" }]] };
    await append(testData.data, [event({ summary, payload })]);
    const [row] = await testData.data.feed(null, { limit: 1 });
    expect(JSON.parse(row?.wire ?? "").summary).toBe(summary);
    expect(row?.wire).not.toContain("secret");
    const [kept] = await rowsOf(testData.url, "select payload from events");
    expect(JSON.parse(kept?.payload as string)).toEqual(payload);
  });

  test("huge counts do not fail; their sums stop at the largest safe integer", async () => {
    await using testData = await openTestData(dialect);
    await link(testData.data, "atlas");
    const most = Number.MAX_SAFE_INTEGER;
    const large = event({
      project: "atlas",
      tokens_in: most,
      tokens_out: most,
      cache_read: most,
      cache_write: most,
      cost_equiv: 1e12,
    });
    for (let batch = 0; batch < 3; batch++)
      await append(
        testData.data,
        Array.from({ length: 1000 }, () => large),
      );
    expect((await testData.data.project(null, "atlas"))?.digest.total).toBe(3000);
    const [sums] = await testData.data.usage("atlas", "");
    expect(sums).toMatchObject({
      tokens_in: most,
      tokens_out: most,
      cache_read: most,
      cache_write: most,
      cost_equiv: 3e15,
    });
  });

  test("notifies subscribers of appends by this process and others, until they unsubscribe", async () => {
    await using testData = await openTestData(dialect);
    const other = await openData(testData.url, { now: testData.clock.now, log() {} });
    let woken = 0;
    const stop = testData.data.onAppend(() => woken++);
    await append(testData.data, [event()]);
    await until(() => woken > 0, "the own append wakes");
    // The first look of a lookout rings as well, so it must be behind us before the other process appends.
    await Bun.sleep(1500);
    woken = 0;
    await append(other, [event()]);
    await until(() => woken > 0, "the other's append wakes");
    stop();
    const before = woken;
    await append(testData.data, [event()]);
    expect(woken).toBe(before);
    await other.close();
  });
});

describe.each(databaseKinds)("the times of appended events on %s", (dialect) => {
  test("a past time that is taken moves to the next free microsecond", async () => {
    await using testData = await openTestData(dialect);
    const then = noon - dayMicros;
    await append(testData.data, [event({ ts: then }), event({ ts: then + 1 }), event({ ts: then + 3 })]);
    const { added } = await append(testData.data, [
      event({ ts: then }),
      event({ ts: then }),
      event({ ts: then + 3 }),
      event({ ts: then - 1 }),
    ]);
    expect(added.map((row) => row.ts - then)).toEqual([2, 4, 5, -1]);
  });

  test("a thousand events in one past second, in batches, get a thousand distinct times in order", async () => {
    await using testData = await openTestData(dialect);
    const then = noon - dayMicros;
    for (let batch = 0; batch < 4; batch++)
      await append(
        testData.data,
        Array.from({ length: 250 }, (_, index) => event({ ts: then, summary: `${batch * 250 + index}` })),
      );
    const rows = await testData.data.feed(null, { order: "oldest first", after: then - 1, limit: 2000 });
    expect(rows.map((row) => row.ts - then)).toEqual(Array.from({ length: 1000 }, (_, index) => index));
    expect(rows.map((row) => Number(JSON.parse(row.wire).summary))).toEqual(
      Array.from({ length: 1000 }, (_, index) => index),
    );
  });

  test("past events leave the head of the feed alone; live ones in the same batch come after it", async () => {
    await using testData = await openTestData(dialect);
    await append(testData.data, [event()]);
    await append(testData.data, [event({ ts: noon - dayMicros })]);
    expect(await testData.data.head()).toBe(noon);
    const { added } = await append(testData.data, [
      event({ ts: noon + 1 }),
      event(),
      event({ ts: -5 }),
      event(),
    ]);
    expect(added.map((row) => row.ts)).toEqual([noon + 1, noon + 2, -5, noon + 3]);
    expect(await testData.data.head()).toBe(noon + 3);
  });

  test("times keep rising when the clock is set back an hour, forward a day and back, and it is logged", async () => {
    await using testData = await openTestData(dialect);
    const { data, clock } = testData;
    for (const step of [0, -3600, 86_400 + 3600, -86_400, 0]) {
      clock.advance(step * secondMicros);
      await append(data, [event(), event()]);
    }
    const late = noon + dayMicros;
    expect(await timesOf(data)).toEqual([
      ...[0, 1, 2, 3].map((n) => noon + n),
      ...[0, 1, 2, 3, 4, 5].map((n) => late + n),
    ]);
    expect(testData.logged.filter((line) => line.message.includes("clock")).length).toBe(3);
  });

  test("two processes with clocks an hour apart write events in one rising order", async () => {
    await using testData = await openTestData(dialect);
    const behind = await openData(testData.url, { now: () => noon - 3600 * secondMicros, log() {} });
    for (let round = 0; round < 3; round++) {
      await append(testData.data, [event({ summary: `${round} here` })]);
      await append(behind, [event({ summary: `${round} there` })]);
    }
    await behind.close();
    const rows = await testData.data.feed(null, { order: "oldest first", after: 0, limit: 10 });
    expect(rows.map((row) => row.ts)).toEqual([0, 1, 2, 3, 4, 5].map((n) => noon + n));
    expect(rows.map((row) => row.id)).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe.each(databaseKinds)("concurrent appends on %s", (dialect) => {
  test("two processes append concurrently: every id once, times rise with the ids", async () => {
    await using testData = await openTestData(dialect);
    const other = await openData(testData.url, { now: testData.clock.now, log() {} });
    const work = [testData.data, other].flatMap((data) =>
      Array.from({ length: 20 }, () => append(data, [event(), event()])),
    );
    await Promise.all(work);
    await other.close();
    const rows = await testData.data.feed(null, { order: "oldest first", after: 0, limit: 100 });
    expect(rows.map((row) => row.id)).toEqual(Array.from({ length: 80 }, (_, index) => index + 1));
    expect(new Set(rows.map((row) => row.ts)).size).toBe(80);
  });

  test("one key sent twenty times concurrently from two processes is one event", async () => {
    await using testData = await openTestData(dialect);
    const other = await openData(testData.url, { now: testData.clock.now, log() {} });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        append(n % 2 ? other : testData.data, [event({ dedupe_key: "k", delivery_id: `${n}` })]),
      ),
    );
    await other.close();
    expect(outcomes.reduce((sum, outcome) => sum + outcome.added.length, 0)).toBe(1);
    expect(outcomes.reduce((sum, outcome) => sum + outcome.duplicates, 0)).toBe(19);
  });
});

test("the clock of these tests prints timestamps as the API does", () => {
  expect(fromMicros(noon)).toBe("2026-03-01T12:00:00.000000Z");
});
