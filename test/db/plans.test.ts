/** The query plans of the feed: each page reads a range of an index. */
import { describe, expect, test } from "bun:test";
import type { Reads } from "../../src/api/port.ts";
import { type FeedFilter, selectiveFilters } from "../../src/feed/filters.ts";
import { newest, silent, subsets } from "../support/database/large-log.ts";
import { openPlans, usePlans, type Waste } from "../support/database/query-plans.ts";
import { dialects, rowsOf } from "../support/harness.ts";

const day = 86_400_000_000;
const pages = subsets<Pick<FeedFilter, keyof typeof silent> & { before: number; after: number }>({
  ...silent,
  before: newest - day,
  after: newest - 900 * day,
});

describe.each(dialects)("on %s", (dialect) => {
  const db = usePlans(dialect);

  const exceptAllowed = (allowed: Record<string, Waste["what"][]>, found: string[]) =>
    found.filter(
      (one) => !Object.entries(allowed).some(([of, whats]) => whats.some((what) => one === `${what}: ${of}`)),
    );

  test("a feed page with one filter or none is a range of one index, in both directions", async () => {
    const simple = pages.filter((page) => Object.keys(silent).filter((field) => field in page).length <= 1);
    const works = simple.flatMap((page) => [
      (reads: Reads) => reads.feed(null, { ...page, limit: 50 }),
      (reads: Reads) => reads.feed(null, { order: "oldest first", after: newest - day, ...page, limit: 50 }),
    ]);
    works.push((reads) => reads.feed(["quiet"], { limit: 50 }));
    expect(await db.wasted(works)).toEqual([]);
  });

  test("a page with several filters, or for several projects, merges posting lists and reads no event that it does not return", async () => {
    const several = pages.filter((page) => Object.keys(silent).filter((field) => field in page).length > 1);
    const works = [null, ["busy", "quiet"]].flatMap((projects) =>
      (projects ? pages : several).flatMap((page) => [
        (reads: Reads) => reads.feed(projects, { ...page, limit: 50 }),
        (reads: Reads) =>
          reads.feed(projects, { order: "oldest first", after: newest - day, ...page, limit: 50 }),
      ]),
    );
    expect(exceptAllowed({ matches: ["sorts"], facets: ["filters rows"] }, await db.wasted(works))).toEqual(
      [],
    );
  });

  test("a page with several values of a filter merges posting lists, or scans a limited number of events first", async () => {
    const values = {
      kind: ["pr.review", "run.failed"],
      actor: ["agent:old", "agent:1"],
    } satisfies FeedFilter;
    const filters: FeedFilter[] = [
      ...subsets<Pick<FeedFilter, "kind" | "actor">>(values).slice(1),
      { kind: values.kind, lane: "lane_c" },
      { kind: "run.failed", actor: values.actor, lane: ["lane_a", "lane_c"] },
      { project: ["busy", "quiet"] },
      { project: ["busy", "quiet"], kind: values.kind },
    ] as FeedFilter[];
    const works = [null, ["busy", "quiet"]].flatMap((projects) =>
      filters.flatMap((filter) => [
        (reads: Reads) => reads.feed(projects, { ...filter, limit: 50 }),
        (reads: Reads) =>
          reads.feed(projects, { ...filter, order: "oldest first", after: newest - day, limit: 50 }),
      ]),
    );
    const allowed: Record<string, Waste["what"][]> = {
      ...{ matches: ["sorts"], facets: ["filters rows"], events: ["full scan"] },
    };
    expect(exceptAllowed(allowed, await db.wasted(works))).toEqual([]);
    const selective = filters.map(
      (filter) => (reads: Reads) => reads.feed(null, { ...filter, issue: 60, limit: 50 }),
    );
    expect(exceptAllowed({ events: ["filters rows"] }, await db.wasted(selective))).toEqual([]);
  });

  test("a page with several values of its only filter merges ranges of that filter's index, and never reads the events between", async () => {
    const filters: FeedFilter[] = [
      { kind: ["pr.review", "run.failed", "issue.opened"] },
      { actor: ["agent:old", "agent:1"] },
      { lane: ["lane_a", "lane_c"] },
    ];
    for (const filter of filters) {
      const works = [
        (reads: Reads) => reads.feed(null, { ...filter, limit: 50 }),
        (reads: Reads) =>
          reads.feed(null, { ...filter, order: "oldest first", after: newest - day, limit: 50 }),
      ];
      expect(exceptAllowed({ matches: ["sorts"] }, await db.wasted(works))).toEqual([]);
      const fresh = openPlans(dialect, db.testData.url);
      const steps = await fresh.steps(
        async (reads) => void (await Promise.all(works.map((work) => work(reads)))),
      );
      await fresh.close();
      expect(steps.join("\n")).toContain(`events_${Object.keys(filter)[0]}`);
      expect(steps.join("\n")).not.toContain("facet");
    }
  });

  test("a page with a selective filter reads a range of its index and checks the other filters on it", async () => {
    for (const selective of selectiveFilters) {
      const value = selective === "run_id" ? "run-60" : 60;
      const works = [null, ["busy", "quiet"]].flatMap((projects) =>
        pages.flatMap((page) => [
          (reads: Reads) => reads.feed(projects, { ...page, [selective]: value, limit: 50 }),
          (reads: Reads) =>
            reads.feed(projects, {
              order: "oldest first",
              after: newest - day,
              ...page,
              [selective]: value,
              limit: 50,
            }),
        ]),
      );
      expect(exceptAllowed({ events: ["filters rows"] }, await db.wasted(works))).toEqual([]);
      if (dialect === "postgres") continue;
      const fresh = openPlans(dialect, db.testData.url);
      const steps = await fresh.steps(
        async (reads) => void (await Promise.all(works.map((work) => work(reads)))),
      );
      await fresh.close();
      const used = steps.flatMap((step) => / events .*INDEX (\w+)/.exec(step)?.[1] ?? []);
      expect(new Set(used)).toEqual(new Set([`events_${selective}`]));
    }
  });

  test("the events of a team or a person are found by its index of facets", async () => {
    const filters: FeedFilter[] = ["maps", ["maps", "data"]].flatMap((names) => [
      { team: names },
      { team: names, kind: "step.usage" },
      { person: names },
      { person: names, kind: "step.usage" },
    ]);
    const works = filters.map((filter) => (reads: Reads) => reads.feed(null, { ...filter, limit: 50 }));
    expect(await db.wasted(works)).toEqual([]);
  });

  test.if(dialect === "sqlite")("any two filters find their facets by one index", async () => {
    const fields = Object.keys(silent);
    for (const [index, one] of fields.entries())
      for (const other of fields.slice(index + 1)) {
        const [step] = await rowsOf(
          db.testData.url,
          `explain query plan select id from facets where ${one} = '' and ${other} = ''`,
        );
        expect(step?.detail).toMatch(/ USING .*INDEX .* \(\w+=\? AND \w+=\?\)$/);
      }
  });
});
