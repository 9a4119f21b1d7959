/** Paging by cursor, and through many posting lists: each event once. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Caller } from "../../src/core/auth/caller.ts";
import type { FeedFilter } from "../../src/feed/filters.ts";
import type { FeedQuery } from "../../src/feed/requests.ts";
import type { Event, FeedPage } from "../../src/feed/schema.ts";
import { dialects, event, link, must, openApp, type TestApp } from "../support/harness.ts";
import {
  count,
  descending,
  feedReaders,
  idsOf,
  openFeedOfOneSecond,
  sizes,
} from "../support/memory/paged-feed.ts";

describe.each(dialects)(`${count} events of the same second on %s`, (dialect) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await openFeedOfOneSecond(dialect);
  });
  afterAll(() => app.close());

  const { page, backwards } = feedReaders(() => app);

  /** Follows `next_cursor` to the end. */
  const byCursor = async (query: FeedQuery, caller?: Pick<Caller, "projects">): Promise<Event[]> => {
    const collected: Event[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { events, next_cursor, next_before }: FeedPage = await page(
        { ...query, ...(cursor !== undefined && { cursor }) },
        caller,
      );
      expect([typeof next_cursor, typeof next_before]).toEqual(
        next_before === null ? ["object", "object"] : ["string", "string"],
      );
      collected.push(...events);
      cursor = next_cursor;
    }
    return collected;
  };

  test.each(sizes)("by cursor in pages of %d: each event once, newest first", async (limit) => {
    expect(idsOf(await byCursor({ limit }))).toEqual(descending);
  });

  test("by cursor with `after`, `before` and a filter: each matching event once", async () => {
    const held = must((await backwards({ limit: 200 })).at(-10));
    expect(idsOf(await byCursor({ after: held.ts, limit: 7 }))).toEqual(descending.filter((id) => id > 10));
    expect(idsOf(await byCursor({ before: held.ts, limit: 7 }))).toEqual(descending.filter((id) => id < 10));
    expect(idsOf(await byCursor({ kind: "run.failed", limit: 7 }))).toEqual(
      descending.filter((id) => (id - 1) % 5 === 0),
    );
  });

  test("a cursor is only a position: a limited caller who uses one gets only the events it may see", async () => {
    const { next_cursor } = await page({ limit: 1 });
    const cursor = must(next_cursor);
    expect((await page({ limit: 1 })).next_cursor).toBe(cursor);
    const wanted = descending.filter((id) => id < count && (id - 1) % 3 === 1);
    expect(idsOf(await byCursor({ cursor, limit: 200 }, { projects: ["borealis"] }))).toEqual(
      wanted.filter((id) => id < count),
    );
  });

  test("truncating `next_before` to milliseconds loses events, which is why there is a cursor", async () => {
    const found: number[] = [];
    for (let query: FeedQuery | null = { limit: 7 }; query !== null; ) {
      const { events, next_before }: FeedPage = await page(query);
      found.push(...idsOf(events));
      query = next_before === null ? null : { limit: 7, before: new Date(next_before).toISOString() };
    }
    expect(found.length).toBeLessThan(count);
  });
});

describe.each(dialects)("events in many posting lists, on %s", (dialect) => {
  const actors = { few: 10, several: 30, many: 90 };
  const eventCount = 3_000;
  let app: TestApp;
  // In the second half of a project all events are of one kind; before, hardly any are.
  const isFailed = (index: number) => index > eventCount / 2 || index % 50 === 0;
  const laneOf = (index: number) => (index % 5 === 0 ? "lane_b" : "lane_a");
  beforeAll(async () => {
    app = await openApp(dialect);
    for (const [project, count] of Object.entries(actors)) {
      await link(app.ctx.data, project);
      const events = Array.from({ length: eventCount }, (_, index) =>
        event({
          ...{
            project,
            kind: isFailed(index) ? "run.failed" : "run.finished",
            actor: `agent:${index % count}`,
          },
          ...{ lane: laneOf(index), summary: `${index}` },
        }),
      );
      for (let first = 0; first < eventCount; first += 500)
        await app.ctx.data.atomically((writes) => writes.append(events.slice(first, first + 500)));
    }
  });
  afterAll(() => app.close());

  /** Reads all pages, to the end. */
  async function paged(
    order: "newest first" | "oldest first",
    limit: number,
    projects: string[],
    filter: FeedFilter,
  ): Promise<Event[]> {
    const found: Event[] = [];
    for (let edge: { before?: number; after: number } = { after: 0 }; ; ) {
      const page = await app.ctx.data.feed(projects, { ...filter, order, limit, ...edge });
      found.push(...page.map(({ wire }) => JSON.parse(wire)));
      const last = page.at(-1);
      if (!last || page.length < limit) return order === "newest first" ? found.toReversed() : found;
      edge = order === "newest first" ? { before: last.ts, after: 0 } : { after: last.ts };
    }
  }
  const failed = Array.from({ length: eventCount }, (_, index) => index).filter(isFailed);
  const everyWay = [7, 50, 200].flatMap((limit) =>
    (["newest first", "oldest first"] as const).map((order) => [order, limit] as const),
  );

  test.each(Object.keys(actors))(
    "a project with %s facets is paged completely and in order, in both directions",
    async (project) => {
      for (const [order, limit] of everyWay) {
        const found = await paged(order, limit, ["few", "several", "many"], {
          project,
          kind: "run.failed",
        });
        expect(found.map(({ summary }) => Number(summary))).toEqual(failed);
      }
    },
  );

  test("two projects filtered by kind and lane are paged completely and in order, in both directions", async () => {
    const wanted = ["few", "many"].flatMap((project) =>
      failed.filter((index) => laneOf(index) === "lane_a").map((index) => `${project} ${index}`),
    );
    for (const [order, limit] of everyWay) {
      const found = await paged(order, limit, ["few", "many"], { kind: "run.failed", lane: "lane_a" });
      expect(found.map(({ project, summary }) => `${project} ${summary}`)).toEqual(wanted);
    }
  });
});
