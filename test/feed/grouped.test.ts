/** The grouped feed: a run is one item, every other event is one, and nothing is lost between pages. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readConfig } from "../../src/core/config.ts";
import type { Micros } from "../../src/core/lib/time.ts";
import { type GroupedItem, type GroupedQuery, groupedPage, runKinds } from "../../src/feed/grouped.ts";
import type { Appendable } from "../../src/feed/rows.ts";
import type { Event } from "../../src/feed/schema.ts";
import { dialects, link, openTestData, type TestData } from "../support/harness.ts";
import { runEvent } from "../support/memory/runs.ts";
import { seededRandom } from "../support/random.ts";

const random = seededRandom(7);
const isRunKind = ({ kind }: Event) => (runKinds as readonly string[]).includes(kind);
const keyOf = (item: GroupedItem) =>
  "run" in item ? `run ${item.run.project} ${item.run.id}` : `event ${item.event.id}`;

/** Runs with and without ids, steps that no run has, events without a project, and events of other kinds. */
const mixedEvents = (): Appendable[] =>
  Array.from({ length: 400 }, (_, index) => {
    const named = random.chance(0.4) ? { run_id: `run-${random.between(1, 20)}` } : {};
    return runEvent({
      ...named,
      kind: random.pick([...runKinds, "step.usage", "pr.opened", "asset.uploaded", "decision.captured"]),
      project: random.chance(0.05) ? null : random.pick(["atlas", "borealis"]),
      actor: random.pick(["agent:codex", "agent:claude"]),
      issue: random.between(1, 3),
      lane: random.pick(["lane_a", "lane_b"]),
      // A text may spell what names a run, or a project that is none.
      summary: `Event ${index} with {"run_id":"run-1","project":null}`,
    });
  });

describe.each(dialects)("on %s", (dialect) => {
  let testData: TestData;
  let events: Event[];
  beforeAll(async () => {
    testData = await openTestData(dialect);
    for (const slug of ["atlas", "borealis"]) await link(testData.data, slug);
    const all = mixedEvents();
    for (let at = 0; at < all.length; at += 20) await testData.data.append(all.slice(at, at + 20));
    const rows = await testData.data.feed(null, { limit: 1_000 });
    events = rows.map(({ wire }) => JSON.parse(wire));
  });
  afterAll(() => testData.close());

  const page = (query: GroupedQuery, projects: string[] | null = null) =>
    groupedPage({ data: testData.data, config: readConfig({}) }, query, { projects });

  async function allItems(query: GroupedQuery, projects: string[] | null = null): Promise<GroupedItem[]> {
    const found: GroupedItem[] = [];
    for (let before: Micros | undefined; ; ) {
      const { items, next } = await page({ ...query, ...(before !== undefined && { before }) }, projects);
      found.push(...items);
      if (next === null) return found;
      expect(next).toBeLessThan(before ?? Number.POSITIVE_INFINITY);
      before = next;
    }
  }

  test("pages of any length have every event, in a run or as an item, once and newest first", async () => {
    for (const limit of [1, 7, 50, 1_000]) {
      const items = await allItems({ limit });
      const keys = items.map(keyOf);
      expect(new Set(keys).size).toBe(keys.length);
      expect(items.map(({ ts }) => ts)).toEqual(items.map(({ ts }) => ts).toSorted((a, b) => b - a));
      const inRuns = new Set<number>();
      for (const item of items)
        if ("run" in item)
          for (const { id } of await testData.data.runEvents(item.run, { limit: 1_000 })) inRuns.add(id);
      const shown = new Set(items.flatMap((item) => ("event" in item ? [item.event.id] : [])));
      for (const event of events)
        expect([
          event.id,
          isRunKind(event) ? inRuns.has(event.id) !== shown.has(event.id) : shown.has(event.id),
        ]).toEqual([event.id, true]);
    }
  });

  test("filters select runs and events, and a caller sees its projects only", async () => {
    const all = await allItems({ limit: 1_000 });
    const matching = (
      test: (one: { project: string | null; lane: string | null; actor: string }) => boolean,
    ) => all.filter((item) => test("run" in item ? item.run : item.event)).map(keyOf);
    const keys = async (query: Omit<GroupedQuery, "limit">, projects: string[] | null = null) =>
      (await allItems({ ...query, limit: 9 }, projects)).map(keyOf);
    expect(await keys({ project: "atlas" })).toEqual(matching(({ project }) => project === "atlas"));
    expect(await keys({}, ["borealis"])).toEqual(matching(({ project }) => project === "borealis"));
    expect(await keys({ project: ["atlas", "borealis"] })).toEqual(
      matching(({ project }) => project !== null),
    );
    expect((await keys({ lane: ["lane_a", "lane_b"] })).length).toBe(all.length);
  });

  test("after a position come the events, and the runs that have an event", async () => {
    const items = await allItems({ limit: 1_000 });
    const middle = items[10]?.ts as Micros;
    const { items: newer, next } = await page({ after: middle, limit: 1_000 });
    const isNewer = (item: GroupedItem) => ("run" in item ? item.run.last_event_at : item.ts) > middle;
    expect([newer.map(keyOf), next]).toEqual([items.filter(isNewer).map(keyOf), null]);
    expect(newer.length).toBeGreaterThanOrEqual(10);
  });
});
