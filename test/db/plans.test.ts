/**
 * No read gets slower as the log grows. Every statement of every read is explained by the database, on a log
 * that is skewed as real ones are.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { migrations } from "../../db/engine/migrate.ts";
import type { Reads } from "../../src/data.ts";
import { type FeedFilter, type facetFilters, selectiveFilters } from "../../src/feed/schema.ts";
import { memoryKinds } from "../../src/memory/schema.ts";
import type { AssetFilter } from "../../src/rows.ts";
import { dialects, link, must, openTestData, rowsOf, type TestData } from "../support/harness.ts";
import { openPlans, type Plans, type Waste } from "../support/query-plans.ts";

const count = 30_000;
const day = 86_400_000_000;
const newest = Date.UTC(2026, 5, 1) * 1000;

type ReadCalls = (reads: Reads) => Promise<unknown>;

/** Every subset of the fields. */
function subsets<T extends object>(fields: Required<T>): Partial<T>[] {
  let sets: Partial<T>[] = [{}];
  for (const [field, value] of Object.entries(fields))
    sets = sets.flatMap((set) => [set, { ...set, [field]: value }]);
  return sets;
}

/**
 * A project, a kind, an actor and a lane, each on a third of the log's first half and absent from the second.
 */
const silent: Required<Pick<FeedFilter, (typeof facetFilters)[number]>> = {
  project: "quiet",
  kind: "pr.review",
  actor: "agent:old",
  lane: "lane_c",
};
const pages = subsets<Pick<FeedFilter, keyof typeof silent> & { before: number; after: number }>({
  ...silent,
  before: newest - day,
  after: newest - 900 * day,
});
const library: Required<AssetFilter> = {
  project: "busy",
  status: "approved",
  kind: "image",
  issue: 7,
  pr: 8,
  sha256: "00",
};

describe.each(dialects)("on %s", (dialect) => {
  let testData: TestData;
  let plans: Plans;
  beforeAll(async () => {
    testData = await openTestData(dialect);
    for (const slug of ["busy", "quiet", "other"]) await link(testData.data, slug);
    const numbers =
      dialect === "sqlite"
        ? `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})`
        : `with numbers as (select generate_series(0::bigint, ${count - 1}) as n)`;
    const old = (value: string, others: string) =>
      `case when n < ${count / 2} and n % 3 = 0 then '${value}' else ${others} end`;
    await rowsOf(
      testData.url,
      `insert into events (ts, id, kind, actor, summary, project, lane, issue, pr, wire) ${numbers}
       select ${newest} - (${count} - n) * 2000000000, n + 10, ${old(silent.kind, "case n % 7 when 0 then 'run.failed' else 'step.usage' end")},
         ${old(silent.actor, "'agent:' || (n % 90)")}, 'A step', ${old(silent.project, "case n % 5 when 0 then 'other' else 'busy' end")},
         ${old(silent.lane, "case n % 2 when 0 then 'lane_a' else 'lane_b' end")},
         case when n % 10 = 0 then n % 900 end, case when n % 10 = 1 then n % 700 end, '{}' from numbers`,
    );
    await rowsOf(
      testData.url,
      `insert into assets (id, project, issue, pr, title, kind, mime, size, sha256, version, root_id, status, waiting, has_thumb, created_by, created_at, tags)
       ${numbers} select 'a' || n, ${old("quiet", "'busy'")}, n % 900, n % 700, 'A picture', case n % 3 when 0 then 'image' else 'pdf' end, 'image/png', 1,
         'hash ' || n, 1, 'a' || n, case n % 4 when 0 then 'pending' else 'approved' end, n % 4, 1 = 0, 'bot:a', n, '[]' from numbers where n < 5000`,
    );
    await testData.data.rebuildDerivedRows(["index"]);
    if (dialect === "postgres") await rowsOf(testData.url, "analyze");
    plans = openPlans(dialect, testData.url);
  });
  afterAll(async () => {
    await plans.close();
    await testData.close();
  });

  /** The distinct wasteful steps in the plans of these reads. */
  async function wasted(works: ReadCalls[]): Promise<string[]> {
    const found = new Set<string>();
    for (const work of works)
      for (const { of, what } of await plans.wasted(work)) found.add(`${what}: ${of}`);
    return [...found];
  }
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
    expect(await wasted(works)).toEqual([]);
  });

  test.if(dialect === "sqlite")(
    "a page of any kind but the most frequent one reads the partial covering index",
    async () => {
      const ofKind = pages.filter(
        (page) =>
          Object.keys(silent)
            .filter((field) => field in page)
            .join() === "kind",
      );
      const fresh = openPlans(dialect, testData.url);
      const steps = await fresh.steps(async (reads) => {
        for (const page of ofKind) {
          await reads.feed(null, { ...page, limit: 50 });
          await reads.feed(null, { order: "oldest first", after: newest - day, ...page, limit: 50 });
        }
      });
      await fresh.close();
      const ofEvents = steps.flatMap((step) => / events .*INDEX \w+/.exec(step)?.[0] ?? []);
      expect(new Set(ofEvents)).toEqual(new Set([" events USING COVERING INDEX events_of_kind"]));
    },
  );

  test("a page with several filters, or for several projects, merges posting lists and reads no event that it does not return", async () => {
    const several = pages.filter((page) => Object.keys(silent).filter((field) => field in page).length > 1);
    const works = [null, ["busy", "quiet"]].flatMap((projects) =>
      (projects ? pages : several).flatMap((page) => [
        (reads: Reads) => reads.feed(projects, { ...page, limit: 50 }),
        (reads: Reads) =>
          reads.feed(projects, { order: "oldest first", after: newest - day, ...page, limit: 50 }),
      ]),
    );
    expect(exceptAllowed({ matches: ["sorts"], facets: ["filters rows"] }, await wasted(works))).toEqual([]);
  });

  test("a page with a selective filter reads a range of its index and checks the other filters on it", async () => {
    for (const selective of selectiveFilters) {
      const works = [null, ["busy", "quiet"]].flatMap((projects) =>
        pages.flatMap((page) => [
          (reads: Reads) => reads.feed(projects, { ...page, [selective]: 60, limit: 50 }),
          (reads: Reads) =>
            reads.feed(projects, {
              order: "oldest first",
              after: newest - day,
              ...page,
              [selective]: 60,
              limit: 50,
            }),
        ]),
      );
      expect(exceptAllowed({ events: ["filters rows"] }, await wasted(works))).toEqual([]);
      if (dialect === "postgres") continue;
      const fresh = openPlans(dialect, testData.url);
      const steps = await fresh.steps(
        async (reads) => void (await Promise.all(works.map((work) => work(reads)))),
      );
      await fresh.close();
      const used = steps.flatMap((step) => / events .*INDEX (\w+)/.exec(step)?.[1] ?? []);
      expect(new Set(used)).toEqual(new Set([`events_${selective}`]));
    }
  });

  test.if(dialect === "sqlite")("any two filters find their facets by one index", async () => {
    const fields = Object.keys(silent);
    for (const [index, one] of fields.entries())
      for (const other of fields.slice(index + 1)) {
        const [step] = await rowsOf(
          testData.url,
          `explain query plan select id from facets where ${one} = '' and ${other} = ''`,
        );
        expect(step?.detail).toMatch(/ USING .*INDEX .* \(\w+=\? AND \w+=\?\)$/);
      }
  });

  test("the other reads of events, projects and usage use an index", async () => {
    const { project } = silent;
    const at = { lastActivity: newest, slug: "busy" };
    const works: ReadCalls[] = [
      (reads) => reads.eventTime(7),
      (reads) => reads.project(null, project),
      (reads) => reads.projectsOfRepos(["acme/quiet"]),
      (reads) => reads.projectOfRepository({ id: 7, full_name: "acme/quiet" }),
      (reads) => reads.projects(null, { limit: 50 }),
      (reads) => reads.projects(null, { limit: 50, after: { ...at, lastActivity: null } }),
      (reads) => reads.usage(project, "2026-01-01"),
      (reads) => reads.rollups(project, 50),
      (reads) => reads.currentDecisions(project, 50),
    ];
    expect(await wasted(works)).toEqual([]);
  });

  // Postgres uses a term index only if there are many texts, as in `bun run bench growth-postgres`.
  test.if(dialect === "sqlite")("recall sorts only its limited number of matches", async () => {
    const asked = { match: { term: "step" }, order: "likeness", limit: 150 } as const;
    const works: ReadCalls[] = [
      ...memoryKinds.map((kind) => (reads: Reads) => reads.search(null, kind, asked)),
      ...memoryKinds.map(
        (kind) => (reads: Reads) => reads.search(["busy", "quiet"], kind, { ...asked, order: "newest" }),
      ),
      (reads) => reads.search(null, "event", { ...asked, order: "newest" }),
      (reads) => reads.search(null, "event", { ...asked, rank: { term: "a" } }),
      (reads) => reads.search(null, "event", { ...asked, match: { term: "ste", prefix: true } }),
      ...[null, ["busy", "quiet"]].flatMap((projects) => [
        (reads: Reads) => reads.findSimilarWords(projects, ["ste", "tep"], 200),
        (reads: Reads) => reads.countMatches(projects, [{ term: "step" }], 1000),
        (reads: Reads) =>
          reads.search(projects, "event", {
            ...asked,
            order: "newest",
            match: { term: "ste", prefix: true },
          }),
      ]),
    ];
    // long enough for prefixes to be expanded
    await rowsOf(testData.url, "update feed_head set id = id + 20000000");
    expect(exceptAllowed({ matches: ["sorts"] }, await wasted(works))).toEqual([]);
    await rowsOf(testData.url, "update feed_head set id = id - 20000000");
  });

  test("a library page with one filter or none is a range of one index; with several it scans the index of one", async () => {
    const after = { status: "approved", created_at: newest, id: "0" } as const;
    const read = (filter: AssetFilter) => [
      (reads: Reads) => reads.assets(null, { ...filter, limit: 50 }),
      (reads: Reads) => reads.assets(null, { ...filter, limit: 50, after }),
    ];
    // Few assets share an issue: of those, Postgres reads an index or a small table whole.
    const { project, status, kind } = library;
    const one = [{}, { project }, { status }, { kind }];
    const sorted: Record<string, Waste["what"][]> = { matches: ["sorts"] };
    expect(exceptAllowed(sorted, await wasted(one.flatMap(read)))).toEqual([]);
    expect(
      exceptAllowed({ ...sorted, assets: ["filters rows"] }, await wasted(subsets(library).flatMap(read))),
    ).toEqual([]);
  });

  test("the remaining reads scan only tables that stay small", async () => {
    const works: ReadCalls[] = [
      ...[(reads: Reads) => reads.head(), (reads: Reads) => reads.models(), (reads: Reads) => reads.tokens()],
      ...[
        (reads: Reads) => reads.preferences("busy"),
        (reads: Reads) => reads.guidance("m", 50),
        (reads: Reads) => reads.rejections("busy", 7, 5),
      ],
      ...[
        (reads: Reads) => reads.supersededDecisions("busy"),
        (reads: Reads) => reads.decisionByText("busy", "so"),
      ],
      ...[
        (reads: Reads) => reads.asset(null, "0"),
        (reads: Reads) => reads.versions("0"),
        (reads: Reads) => reads.upload("0"),
      ],
      ...[
        (reads: Reads) => reads.assetsWithFile(["0"], "key"),
        (reads: Reads) => reads.expiredAssets(newest, 50),
      ],
      ...[
        (reads: Reads) => reads.expiredUploads(newest, 50),
        (reads: Reads) => reads.backlog(newest),
        (reads: Reads) => reads.dueOutbox(newest, 5),
      ],
      ...[
        (reads: Reads) => reads.setting("a"),
        (reads: Reads) => reads.createdAt(),
        (reads: Reads) => reads.token("0"),
      ],
      ...[
        (reads: Reads) => reads.audit({ limit: 50 }),
        (reads: Reads) => reads.audit({ who: "maria", since: newest, limit: 50 }),
      ],
      (reads) => reads.projects(null, { limit: 50, after: { lastActivity: newest, slug: "busy" } }),
    ];
    const whole = ["full scan", "filters rows"] as const;
    const small = [
      "feed_head",
      "assets",
      "models",
      "tokens",
      "outbox",
      "decisions",
      "preferences",
      "audit",
      "schema_migrations",
    ];
    const allowed = Object.fromEntries(small.map((table) => [table, [...whole]]));
    expect(
      exceptAllowed({ ...allowed, projects: ["filters rows"], matches: ["sorts"] }, await wasted(works)),
    ).toEqual([]);
  });
});

test("the facets migration scans an existing log once: it looks up the facet of each event, not the events of each facet", async () => {
  await using testData = await openTestData("sqlite");
  const statement = must(
    must(migrations.sqlite.find(({ name }) => name === "0005_facets")).statements.at(-1),
  );
  const steps = await rowsOf(testData.url, `explain query plan ${statement}`);
  expect(steps.map(({ detail }) => detail).slice(0, 2)).toEqual([
    "SCAN events",
    expect.stringMatching(/^SEARCH facets USING .*\(project=\? AND kind=\? AND actor=\? AND lane=\?\)$/),
  ]);
});
