/** Paging by time: each event once, whatever is written meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { secondMicros } from "../../src/core/lib/time.ts";
import { feedPage } from "../../src/feed/feed.ts";
import type { FeedQuery } from "../../src/feed/requests.ts";
import type { FeedPage } from "../../src/feed/schema.ts";
import { reached } from "../faults/promises.ts";
import { databaseKinds, event, must, openApp, type TestApp } from "../support/harness.ts";
import {
  count,
  descending,
  feedReaders,
  idsOf,
  openFeedOfOneSecond,
  sizes,
  unlimited,
} from "../support/memory/paged-feed.ts";

describe.each(databaseKinds)(`${count} events of the same second on %s`, (dialect) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openFeedOfOneSecond(dialect);
  });
  afterAll(() => app.close());

  const { page, backwards } = feedReaders(() => app);

  test.each(sizes)("backward in pages of %d: each event once, newest first", async (limit) => {
    const found = await backwards({ limit });
    expect(idsOf(found)).toEqual(descending);
    expect(found.every((one, index) => index === 0 || one.ts < must(found[index - 1]).ts)).toBe(true);
    expect(found.every((one) => one.ts.startsWith("2026-02-03T04:05:06."))).toBe(true);
    if (limit === 1) reached("paging", count);
  });

  test.each(sizes)("forward: `after` the newest held event, in pages of %d", async (limit) => {
    const held = must((await backwards({ limit: 200 })).at(-10));
    expect(idsOf(await backwards({ after: held.ts, limit }))).toEqual(descending.filter((id) => id > 10));
  });

  const filters: [string, FeedQuery, (index: number) => boolean][] = [
    ["project", { project: "atlas" }, (index) => index % 3 === 0],
    ["kind", { kind: "run.failed" }, (index) => index % 5 === 0],
    ["the most frequent kind", { kind: "step.usage" }, (index) => index % 5 !== 0],
    ["actor", { actor: "agent:a" }, (index) => index % 2 === 1],
    ["lane", { lane: "lane_b" }, (index) => index % 7 === 0],
    [
      "all of them",
      { project: "atlas", kind: "run.failed", actor: "agent:b", lane: "lane_b" },
      (index) => index % 210 === 0,
    ],
    [
      "a project and a kind",
      { project: "borealis", kind: "run.failed" },
      (index) => index % 3 === 1 && index % 5 === 0,
    ],
    [
      "a kind and a lane",
      { kind: "step.usage", lane: "lane_b" },
      (index) => index % 5 !== 0 && index % 7 === 0,
    ],
    ["an issue", { issue: 12 }, (index) => index % 4 === 0],
    [
      "a pull request of a project",
      { pr: 34, project: "atlas" },
      (index) => index % 11 === 0 && index % 3 === 0,
    ],
    [
      "an issue, a pull request and a kind",
      { issue: 12, pr: 34, kind: "step.usage" },
      (index) => index % 44 === 0 && index % 5 !== 0,
    ],
    ["an unknown issue", { issue: 13 }, () => false],
    ["what never came together", { project: "atlas", actor: "agent:c" }, () => false],
    ["an unknown project", { project: "nothing" }, () => false],
  ];
  test.each(filters)("filtered by %s: each matching event once", async (_, filter, matches) => {
    const wanted = descending.filter((id) => matches(id - 1));
    for (const limit of [7, 200]) expect(idsOf(await backwards({ ...filter, limit }))).toEqual(wanted);
  });

  test("a limited caller pages through the events of its projects, each once", async () => {
    const wanted = descending.filter((id) => (id - 1) % 3 === 1);
    expect(idsOf(await backwards({ limit: 7 }, { projects: ["borealis", "gone"] }))).toEqual(wanted);
    expect(idsOf(await backwards({ limit: 7 }, { projects: ["borealis", "gone", "borealis"] }))).toEqual(
      wanted,
    );
    expect(idsOf(await backwards({ limit: 7 }, { projects: [] }))).toEqual([]);
    const both = { projects: ["borealis", "gone", "atlas"] };
    expect(idsOf(await backwards({ limit: 50 }, both))).toEqual(
      descending.filter((id) => (id - 1) % 3 !== 2),
    );
    const failed = descending.filter((id) => (id - 1) % 3 !== 2 && (id - 1) % 5 === 0);
    expect(idsOf(await backwards({ limit: 7, kind: "run.failed" }, both))).toEqual(failed);
    expect(idsOf(await backwards({ limit: 7, project: "sun" }, both))).toEqual([]);
  });

  test("a page that ends with the oldest event has no next page", async () => {
    expect(
      (await page({ limit: 200, before: must((await backwards({ limit: 200 })).at(-201)).ts })).next_before,
    ).toBeNull();
    const before = (await backwards({ kind: "run.failed", limit: 200 })).at(-201)?.ts;
    const exact = await page({ kind: "run.failed", limit: 200, ...(before && { before }) });
    expect([exact.count, exact.next_before]).toEqual([200, null]);
  });

  test("`after` at or later than `before` gives an empty page, not an error", async () => {
    const { ts } = must((await page({ limit: 1 })).events[0]);
    for (const after of [ts, "2027-01-01T00:00:00Z"])
      expect(await page({ after, before: ts })).toEqual({
        events: [],
        count: 0,
        next_cursor: null,
        next_before: null,
      });
  });

  test("the same instant written differently gives the same page", async () => {
    const { ts } = must((await page({ limit: 2 })).events[1]);
    const wanted = idsOf((await page({ before: ts, limit: 3 })).events);
    const bare = ts.slice(0, -1);
    for (const before of [`${bare}+00:00`, `${bare}-00:00`, `${bare}000z`.replace("T", "t"), offset(bare)])
      expect(idsOf((await page({ before, limit: 3 })).events)).toEqual(wanted);
  });

  test("nanoseconds between two events exclude both", async () => {
    const { id, ts } = must((await page({ limit: 2 })).events[1]);
    const bare = ts.slice(0, -1);
    const first = async (query: FeedQuery) => (await page({ ...query, limit: 200 })).events;
    expect((await first({ before: `${bare}001Z` }))[0]?.id).toBe(id);
    expect((await first({ after: `${bare}001Z` })).at(-1)?.id).toBe(id + 1);
    expect((await first({ before: `${bare}Z` }))[0]?.id).toBe(id - 1);
    expect(idsOf(await first({ after: `${bare}Z`, before: `${bare}999Z` }))).toEqual([]);
  });

  test("events present at the start are returned once while new ones arrive", async () => {
    const { data } = app.ctx;
    const writers = Array.from({ length: 40 }, () =>
      data.atomically((writes) => writes.append([event(), event()])),
    );
    const found = await backwards({ limit: 50 });
    await Promise.all(writers);
    expect(idsOf(found).filter((id) => id <= count)).toEqual(descending);
    expect(new Set(idsOf(found)).size).toBe(found.length);
  });
});

/** `2026-02-03T04:05:06.000998` in Nepal. */
const offset = (bare: string): string => {
  const local = new Date(`${bare.slice(0, 19)}Z`).getTime() + (5 * 3600 + 45 * 60) * 1000;
  return `${new Date(local).toISOString().slice(0, 19)}${bare.slice(19)}+05:45`;
};

describe.each(databaseKinds)("polling on %s", (dialect) => {
  test("a reader that polls `after` its newest event gets every event of a burst, and nothing without one", async () => {
    await using app = await openApp(dialect);
    const { data, config } = app.ctx;
    const poll = async (after: string): Promise<number[]> => {
      const found: number[] = [];
      for (let before: string | null = null, first = true; first || before !== null; first = false) {
        const query: FeedQuery = { after, limit: 7, ...(before !== null && { before }) };
        const page: FeedPage = JSON.parse((await feedPage(data, config, query, unlimited)).text);
        found.push(...page.events.map((one) => one.id));
        before = page.next_before;
      }
      return found;
    };
    let newest = "1970-01-01T00:00:00Z";
    let next = 1;
    for (const burst of [1, 6, 7, 8, 0, 14, 50]) {
      app.clock.advance(secondMicros);
      const { added } = await data.atomically((writes) =>
        writes.append(Array.from({ length: burst }, () => event())),
      );
      expect(await poll(newest)).toEqual(
        Array.from({ length: burst }, (_, index) => next + burst - 1 - index),
      );
      next += burst;
      if (added.length > 0)
        newest = JSON.parse((await feedPage(data, config, { limit: 1 }, unlimited)).text).events[0].ts;
    }
  });
});
