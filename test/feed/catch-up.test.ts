/** Rows that appends defer: every read of them includes every event. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { afterCatchUp, openCatchUp } from "../../db/feed/catch-up.ts";
import { markIncomplete } from "../../db/feed/pending.ts";
import { openData } from "../../db/open.ts";
import type { Data, Writes } from "../../src/api/port.ts";
import { termOf } from "../../src/core/text/tokenizer.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import {
  dialects,
  event,
  expectConsistent,
  freshDatabase,
  link,
  openTestData,
  rowsOf,
  testClock,
  until,
} from "../support/harness.ts";

const ended = (word: string, more: Partial<Appendable> = {}) =>
  event({ kind: "run.finished", project: "atlas", summary: `Finished ${word}`, tokens_in: 1, ...more });

/** Ids of the events with a word, as recall finds them: it counts them first. */
async function found(reads: Pick<Writes, "countMatches" | "search">, word: string): Promise<number[]> {
  const match = { term: termOf(word) };
  const [counts] = await reads.countMatches(null, [match], 50);
  const hits = await reads.search(null, "event", { match, order: "newest", limit: 50 });
  expect(hits).toHaveLength(counts?.event as number);
  return hits.map(({ id }) => id);
}
const tokens = async (reads: Pick<Writes, "usage">) =>
  (await reads.usage("atlas", "2026-01-01")).reduce((sum, row) => sum + row.tokens_in, 0);

const node = (url: string): Promise<Data> => openData(url, { now: testClock().now, log() {} });

describe.each(dialects)("behind the appends on %s", (dialect) => {
  test("each of two nodes finds and sums every event of both, after every append", async () => {
    await using database = await freshDatabase(dialect);
    const nodes = [await node(database.url), await node(database.url)] as const;
    await link(nodes[0], "atlas");
    // Some are derived by their append, some by the append that leaves too many, most by the next read.
    const size = fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constantFrom(99, 100, 250));
    const steps = fc.array(
      fc.record({ size, writer: fc.nat(1), reader: fc.option(fc.nat(1), { freq: 1 }) }),
      {
        minLength: 4,
        maxLength: 8,
      },
    );
    const appended: number[] = [];
    let story = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        const word = `tale${story++}`;
        const own: number[] = [];
        for (const { size, writer, reader } of list) {
          const batch = Array.from({ length: size }, (_, at) => ended(at === 0 ? word : "other"));
          const { added } = await (nodes[writer] as Data).append(batch);
          appended.push(...added.map(({ id }) => id));
          own.push(added[0]?.id as number);
          if (reader === null) continue;
          expect(await found(nodes[reader] as Data, word)).toEqual(own.toReversed());
          expect(await tokens(nodes[reader] as Data)).toBe(appended.length);
        }
        const [counts] = await nodes[0].countMatches(null, [{ term: termOf(word) }], 50);
        expect(counts?.event).toBe(own.length);
        await expectConsistent(nodes[1]);
      }),
      { numRuns: 6 },
    );
    for (const one of nodes) await one.close();
  });

  test("an append of a thousand events is derived with them, after none or one that is pending", async () => {
    await using testData = await openTestData(dialect);
    const { data, url } = testData;
    await link(data, "atlas");
    const thousand = (first: string) =>
      data.append(Array.from({ length: 1_000 }, (_, at) => ended(at === 0 ? first : "other")));
    const isPending = async () =>
      (await rowsOf(url, "select 1 as one from feed_head where derived < id")).length > 0;
    await thousand("alpha");
    expect(await isPending()).toBe(false);
    await data.append([ended("beta")]);
    expect(await isPending()).toBe(true);
    await thousand("gamma");
    expect(await isPending()).toBe(false);
    expect(await tokens(data)).toBe(2_001);
    for (const word of ["alpha", "beta", "gamma"]) expect(await found(data, word)).toHaveLength(1);
  });

  test("a transaction finds what it appended, and leaves nothing when it fails", async () => {
    await using testData = await openTestData(dialect);
    const { data } = testData;
    await link(data, "atlas");
    await data.append([ended("before")]);
    for (const count of [1, 200]) {
      const failing = data.atomically(async (writes) => {
        await writes.append(Array.from({ length: count }, () => ended("undone")));
        expect(await found(writes, "undone")).toHaveLength(Math.min(count, 50));
        expect(await tokens(writes)).toBe(count + 1);
        throw new Error("undone");
      });
      expect(failing).rejects.toThrow("undone");
      await failing.catch(() => {});
      expect([await found(data, "undone"), await tokens(data)]).toEqual([[], 1]);
    }
    await expectConsistent(data);
  });

  test("what a process left when it ended is found by the next one, and is no fault", async () => {
    await using database = await freshDatabase(dialect);
    const first = await node(database.url);
    await link(first, "atlas");
    await first.append([ended("left"), ended("left")]);
    await first.close();
    const [head] = await rowsOf(database.url, "select id, derived from feed_head");
    expect([Number(head?.id), Number(head?.derived)]).toEqual([2, 0]);
    const second = await node(database.url);
    expect(await second.findInconsistencies()).toEqual([]);
    await second.rebuildDerivedRows(["usage", "index"]);
    await expectConsistent(second);
    expect([await found(second, "left"), await tokens(second)]).toEqual([[2, 1], 2]);
    await second.close();
  });

  test("what a process left when it ended is derived without a read by another that appended before it", async () => {
    await using database = await freshDatabase(dialect);
    const [first, second] = [await node(database.url), await node(database.url)];
    await link(first, "atlas");
    await first.append([ended("early")]);
    await second.append([ended("late")]);
    await second.close();
    const derived = () => rowsOf(database.url, "select 1 as one from feed_head where derived = 2");
    await until(async () => (await derived()).length > 0, "both are derived");
    await first.close();
  });
});

test("a process leaves events to those that append after it, until the newest is its own", async () => {
  const newest = [1, 2, 3, 4];
  let looks = 0;
  const derived = Promise.withResolvers<number>();
  const catchUp = openCatchUp({
    head: async () => ({ id: newest[looks++] ?? 5, ts: 0, derived: 0, budgets: 0 }),
    hasAppended: (id) => id === 4,
    hasStaleTasks: async () => false,
    async derive() {
      derived.resolve(looks);
      return false;
    },
  });
  catchUp.noteAppend();
  expect(await derived.promise).toBe(newest.length);
  await catchUp.close();
});

test("a read after an append of this process covers it first, so it is read once", async () => {
  const head = { id: 1, ts: 0, derived: 1, budgets: 0 };
  const catchUp = openCatchUp({
    head: async () => ({ ...head }),
    hasAppended: () => true,
    hasStaleTasks: async () => false,
    async derive() {
      head.derived = head.id;
      return false;
    },
  });
  const found: number[] = [];
  const { usage } = afterCatchUp(
    {
      async usage() {
        found.push(head.derived);
        return markIncomplete([{ pending: head.derived < head.id }], [head.derived]);
      },
    },
    catchUp.cover,
    catchUp.isDue,
  );
  for (const id of [2, 3]) {
    head.id = id;
    catchUp.noteAppend();
    expect(await Promise.all([usage(), usage()])).toEqual([[id], [id]]);
    expect(catchUp.isDue()).toBe(false);
  }
  head.id = 4; // by another process
  expect(await usage()).toEqual([4]);
  expect(found).toEqual([2, 2, 3, 3, 3, 4]);
  await catchUp.close();
});
