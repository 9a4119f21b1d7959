/**
 * No read grows with the log: every statement of every read is asked for its plan, on a log that is uneven as
 * real ones are.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { migrations } from "../db/engine/migrate.ts";
import type { Reads } from "../src/data.ts";
import { type FeedFilter, type facetFilters, selectiveFilters } from "../src/feed/schema.ts";
import { memoryKinds } from "../src/memory/schema.ts";
import type { AssetFilter } from "../src/rows.ts";
import { dialects, link, must, openTestData, rowsOf, type TestData } from "./support/harness.ts";
import { openPlans, type Plans, type Waste } from "./support/query-plans.ts";

const count = 30_000;
const day = 86_400_000_000;
const newest = Date.UTC(2026, 5, 1) * 1000;

type Work = (reads: Reads) => Promise<unknown>;

/** Every choice of some of them. */
function choices<T extends object>(fields: Required<T>): Partial<T>[] {
  let chosen: Partial<T>[] = [{}];
  for (const [field, value] of Object.entries(fields))
    chosen = chosen.flatMap((one) => [one, { ...one, [field]: value }]);
  return chosen;
}

/**
 * A project, a kind, an actor and a lane that were a third of the log each, and are silent since its first
 * half.
 */
const silent: Required<Pick<FeedFilter, (typeof facetFilters)[number]>> = {
  project: "quiet",
  kind: "pr.review",
  actor: "agent:old",
  lane: "lane_c",
};
const pages = choices<Pick<FeedFilter, keyof typeof silent> & { before: number; after: number }>({
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
  let house: TestData;
  let plans: Plans;
  beforeAll(async () => {
    house = await openTestData(dialect);
    for (const slug of ["busy", "quiet", "other"]) await link(house.data, slug);
    const numbers =
      dialect === "sqlite"
        ? `with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n < ${count - 1})`
        : `with numbers as (select generate_series(0::bigint, ${count - 1}) as n)`;
    const old = (value: string, others: string) =>
      `case when n < ${count / 2} and n % 3 = 0 then '${value}' else ${others} end`;
    await rowsOf(
      house.url,
      `insert into events (ts, id, kind, actor, summary, project, lane, issue, pr, wire) ${numbers}
       select ${newest} - (${count} - n) * 2000000000, n + 10, ${old(silent.kind, "case n % 7 when 0 then 'run.failed' else 'step.usage' end")},
         ${old(silent.actor, "'agent:' || (n % 90)")}, 'A step', ${old(silent.project, "case n % 5 when 0 then 'other' else 'busy' end")},
         ${old(silent.lane, "case n % 2 when 0 then 'lane_a' else 'lane_b' end")},
         case when n % 10 = 0 then n % 900 end, case when n % 10 = 1 then n % 700 end, '{}' from numbers`,
    );
    await rowsOf(
      house.url,
      `insert into assets (id, project, issue, pr, title, kind, mime, size, sha256, version, root_id, status, waiting, has_thumb, created_by, created_at, tags)
       ${numbers} select 'a' || n, ${old("quiet", "'busy'")}, n % 900, n % 700, 'A picture', case n % 3 when 0 then 'image' else 'pdf' end, 'image/png', 1,
         'hash ' || n, 1, 'a' || n, case n % 4 when 0 then 'pending' else 'approved' end, n % 4, 1 = 0, 'bot:a', n, '[]' from numbers where n < 5000`,
    );
    await house.data.recount(["index"]);
    if (dialect === "postgres") await rowsOf(house.url, "analyze");
    plans = openPlans(dialect, house.url);
  });
  afterAll(async () => {
    await plans.close();
    await house.close();
  });

  /** Everything wasteful in them, each once. */
  async function wasted(works: Work[]): Promise<string[]> {
    const found = new Set<string>();
    for (const work of works)
      for (const { of, what } of await plans.wasted(work)) found.add(`${what}: ${of}`);
    return [...found];
  }
  const among = (allowed: Record<string, Waste["what"][]>, found: string[]) =>
    found.filter(
      (one) => !Object.entries(allowed).some(([of, whats]) => whats.some((what) => one === `${what}: ${of}`)),
    );

  test("a page of the feed by one filter or none is a stretch of one index, in both directions", async () => {
    const simple = pages.filter((page) => Object.keys(silent).filter((field) => field in page).length <= 1);
    const works = simple.flatMap((page) => [
      (reads: Reads) => reads.feedPage(null, { ...page, limit: 50 }),
      (reads: Reads) => reads.feed(null, { ...page, limit: 50 }),
      (reads: Reads) => reads.feedSince(null, { after: newest - day, ...page, limit: 50 }),
    ]);
    works.push((reads) => reads.feed(["quiet"], { limit: 50 }));
    expect(await wasted(works)).toEqual([]);
  });

  test.if(dialect === "sqlite")(
    "a page by a kind that is not the most frequent one reads the texts of that kind side by side",
    async () => {
      const ofKind = pages.filter(
        (page) =>
          Object.keys(silent)
            .filter((field) => field in page)
            .join() === "kind",
      );
      const fresh = openPlans(dialect, house.url);
      const steps = await fresh.steps(async (reads) => {
        for (const page of ofKind) {
          await reads.feedPage(null, { ...page, limit: 50 });
          await reads.feedSince(null, { after: newest - day, ...page, limit: 50 });
        }
      });
      await fresh.close();
      const ofEvents = steps.flatMap((step) => / events .*INDEX \w+/.exec(step)?.[0] ?? []);
      expect(new Set(ofEvents)).toEqual(new Set([" events USING COVERING INDEX events_of_kind"]));
    },
  );

  test("a page by several filters, or of several projects, sorts the ends of lists, and reads no event that it does not show", async () => {
    const several = pages.filter((page) => Object.keys(silent).filter((field) => field in page).length > 1);
    const works = [null, ["busy", "quiet"]].flatMap((projects) =>
      (projects ? pages : several).flatMap((page) => [
        (reads: Reads) => reads.feedPage(projects, { ...page, limit: 50 }),
        (reads: Reads) => reads.feedSince(projects, { after: newest - day, ...page, limit: 50 }),
      ]),
    );
    expect(
      among({ "what it found": ["sorts"], facets: ["reads on for what fits"] }, await wasted(works)),
    ).toEqual([]);
  });

  test("a page by a selective filter reads a range of its index, and checks the other filters there", async () => {
    for (const selective of selectiveFilters) {
      const works = [null, ["busy", "quiet"]].flatMap((projects) =>
        pages.flatMap((page) => [
          (reads: Reads) => reads.feedPage(projects, { ...page, [selective]: 60, limit: 50 }),
          (reads: Reads) =>
            reads.feedSince(projects, { after: newest - day, ...page, [selective]: 60, limit: 50 }),
        ]),
      );
      expect(among({ events: ["reads on for what fits"] }, await wasted(works))).toEqual([]);
      if (dialect === "postgres") continue;
      const fresh = openPlans(dialect, house.url);
      const steps = await fresh.steps(
        async (reads) => void (await Promise.all(works.map((work) => work(reads)))),
      );
      await fresh.close();
      const used = steps.flatMap((step) => / events .*INDEX (\w+)/.exec(step)?.[1] ?? []);
      expect(new Set(used)).toEqual(new Set([`events_${selective}`]));
    }
  });

  test.if(dialect === "sqlite")("two filters of any kind find their facets by one index", async () => {
    const fields = Object.keys(silent);
    for (const [index, one] of fields.entries())
      for (const other of fields.slice(index + 1)) {
        const [step] = await rowsOf(
          house.url,
          `explain query plan select id from facets where ${one} = '' and ${other} = ''`,
        );
        expect(step?.detail).toMatch(/ USING .*INDEX .* \(\w+=\? AND \w+=\?\)$/);
      }
  });

  test("the other reads of events, projects and usage find their place", async () => {
    const { project } = silent;
    const at = { lastActivity: newest, slug: "busy" };
    const works: Work[] = [
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

  // Postgres looks through an index of words only where there are many texts: `bun run bench growth` has
  // them.
  test.if(dialect === "sqlite")("recall sorts what it found, of which there is only so much", async () => {
    const asked = { match: { term: "step" }, order: "likeness", limit: 150 } as const;
    const works: Work[] = [
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
    await rowsOf(house.url, "update feed_head set id = id + 20000000"); // words are asked for beginnings then
    expect(among({ "what it found": ["sorts"] }, await wasted(works))).toEqual([]);
    await rowsOf(house.url, "update feed_head set id = id - 20000000");
  });

  test("a page of the library by one filter or none is a stretch of one index; by several it looks through that of one", async () => {
    const after = { status: "approved", created_at: newest, id: "0" } as const;
    const read = (filter: AssetFilter) => [
      (reads: Reads) => reads.assets(null, { ...filter, limit: 50 }),
      (reads: Reads) => reads.assets(null, { ...filter, limit: 50, after }),
    ];
    // Few assets share an issue: of those, Postgres reads an index or a small table whole.
    const { project, status, kind } = library;
    const one = [{}, { project }, { status }, { kind }];
    const sorted: Record<string, Waste["what"][]> = { "what it found": ["sorts"] };
    expect(among(sorted, await wasted(one.flatMap(read)))).toEqual([]);
    expect(
      among({ ...sorted, assets: ["reads on for what fits"] }, await wasted(choices(library).flatMap(read))),
    ).toEqual([]);
  });

  test("what else is asked for reads tables whole that stay small, and no others", async () => {
    const works: Work[] = [
      ...[(reads: Reads) => reads.head(), (reads: Reads) => reads.models(), (reads: Reads) => reads.tokens()],
      ...[
        (reads: Reads) => reads.preferences("busy"),
        (reads: Reads) => reads.guidance("m", 50),
        (reads: Reads) => reads.rejections("busy", 7, 5),
      ],
      ...[
        (reads: Reads) => reads.supersededDecisions("busy"),
        (reads: Reads) => reads.decisionThatSays("busy", "so"),
      ],
      ...[
        (reads: Reads) => reads.asset(null, "0"),
        (reads: Reads) => reads.versions("0"),
        (reads: Reads) => reads.upload("0"),
      ],
      ...[
        (reads: Reads) => reads.keptAssets(["0"], "key"),
        (reads: Reads) => reads.expiredAssets(newest, 50),
      ],
      ...[
        (reads: Reads) => reads.expiredUploads(newest, 50),
        (reads: Reads) => reads.backlog(newest),
        (reads: Reads) => reads.dueOutbox(newest, 5),
      ],
      ...[
        (reads: Reads) => reads.setting("a"),
        (reads: Reads) => reads.birth(),
        (reads: Reads) => reads.token("0"),
      ],
      ...[
        (reads: Reads) => reads.audit({ limit: 50 }),
        (reads: Reads) => reads.audit({ who: "maria", since: newest, limit: 50 }),
      ],
      (reads) => reads.projects(null, { limit: 50, after: { lastActivity: newest, slug: "busy" } }),
    ];
    const whole = ["reads all of it", "reads on for what fits"] as const;
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
      among(
        { ...allowed, projects: ["reads on for what fits"], "what it found": ["sorts"] },
        await wasted(works),
      ),
    ).toEqual([]);
  });
});

test("a log of before is listed in one walk over it: each event looks for its facet, and no facet for its events", async () => {
  await using house = await openTestData("sqlite");
  const statement = must(
    must(migrations.sqlite.find(({ name }) => name === "0005_facets")).statements.at(-1),
  );
  const steps = await rowsOf(house.url, `explain query plan ${statement}`);
  expect(steps.map(({ detail }) => detail).slice(0, 2)).toEqual([
    "SCAN events",
    expect.stringMatching(/^SEARCH facets USING .*\(project=\? AND kind=\? AND actor=\? AND lane=\?\)$/),
  ]);
});
