/** The query plans of the other reads. */
import { describe, expect, test } from "bun:test";
import type { Reads } from "../../src/api/port.ts";
import type { AssetFilter } from "../../src/library/rows.ts";
import { memoryKinds } from "../../src/memory/schema.ts";
import { newest, type ReadCalls, silent, subsets } from "../support/database/large-log.ts";
import { usePlans, type Waste } from "../support/database/query-plans.ts";
import { dialects, rowsOf } from "../support/harness.ts";

/** Words have no index: pages of a list are read until one is full. */
const library: Required<Omit<AssetFilter, "task" | "file_sha256" | "query" | "versions">> = {
  project: "busy",
  status: "approved",
  kind: "image",
  issue: 7,
  pr: 8,
  sha256: "00",
  set: "hero",
};

describe.each(dialects)("on %s", (dialect) => {
  const db = usePlans(dialect);

  const exceptAllowed = (allowed: Record<string, Waste["what"][]>, found: string[]) =>
    found.filter(
      (one) => !Object.entries(allowed).some(([of, whats]) => whats.some((what) => one === `${what}: ${of}`)),
    );

  test("the other reads of events, projects and usage use an index", async () => {
    const { project } = silent;
    const at = { lastActivity: newest, slug: "busy" };
    const works: ReadCalls[] = [
      (reads) => reads.eventTime(7),
      (reads) => reads.project(null, project),
      (reads) => reads.projectsOfRepos(["acme/quiet"]),
      (reads) =>
        reads.linksOfRepository({ forge: "github", host: "github.com", id: 7, full_name: "acme/quiet" }),
      (reads) => reads.hasWebhook(null),
      (reads) => reads.projects(null, { limit: 50 }),
      (reads) => reads.projects(null, { limit: 50, after: { ...at, lastActivity: null } }),
      (reads) => reads.usage(project, "2026-01-01"),
      (reads) => reads.rollups(project, 50),
      (reads) => reads.currentDecisions(project, 50),
    ];
    expect(await db.wasted(works)).toEqual([]);
  });

  test("the reads of the inbox are ranges of indexes, whatever the size of the log and the library", async () => {
    // Its failed and lost runs are pages of the feed and of runs, whose plans are in plans.test.ts.
    const works: ReadCalls[] = [
      (reads) => reads.rejectedAssets(["human:mara", "token:mara"], ["busy"], 100),
      (reads) => reads.inboxMarks("mara", ["run-1", "run-2"]),
      (reads) => reads.dueDigests(1, 50),
    ];
    expect(await db.wasted(works)).toEqual([]);
    // Of the failures that are given, those that are over: a few rows by their primary key. Postgres may look
    // for the run of a failure among those of its project while there are none.
    const found = await db.wasted([(reads) => reads.repairedSince([newest - 5_000_000, newest])]);
    expect(exceptAllowed({ events: ["filters rows"], runs: ["filters rows"] }, found)).toEqual([]);
  });

  test("the reads of Today are ranges of indexes, whatever the size of the log, the library and the usage", async () => {
    const limits = { projects: 50, count: 100, listed: 4, order: "oldest first" } as const;
    const works = [null, ["busy", "quiet"]].flatMap((projects): ReadCalls[] => [
      (reads) => reads.pendingAssets(projects, limits),
      (reads) => reads.pendingAssets(projects, { ...limits, order: "newest first" }),
    ]);
    // Postgres may read all open requests once, and look up each pending asset in them. There are no sets here,
    // so it also takes any index of them.
    const asked = { ...limits, without: ["a1"], askedOf: ["mara"] };
    const ofAsked = await db.wasted([
      (reads) => reads.pendingAssets(null, asked),
      (reads) => reads.pendingSets(null, { ...asked, sets: 100 }),
      (reads) => reads.pendingSets(["busy", "quiet"], { ...limits, sets: 100 }),
    ]);
    expect(exceptAllowed({ assets: ["filters rows"], review_requests: ["full scan"] }, ofAsked)).toEqual([]);
    works.push((reads) => reads.readMarker("mara"));
    works.push((reads) => reads.recentRunCosts(["busy", "quiet"]));
    works.push((reads) => reads.assetsById(["a1", "a5"]));
    expect(await db.wasted(works)).toEqual([]);
    const ended: ReadCalls = (reads) =>
      reads.runOutlines(null, { status: "finished", eventAfter: newest, limit: 100 });
    const shown: ReadCalls = (reads) => reads.runsByIds([{ project: "busy", id: "r1" }]);
    const daily: ReadCalls = (reads) =>
      reads.dailyUsage(["busy", "quiet"], { from: "2026-05-31", to: "2026-06-01" });
    // The few briefs of each run are sorted, and groups of usage, whose statements are prepared with that of
    // projects. The newest event of a run is checked on its outline, so places come from an index alone.
    const found = await db.wasted([ended, shown, daily]);
    expect(exceptAllowed({ matches: ["sorts"] }, found)).toEqual([]);
    const { data } = db.testData;
    const queues = await data.pendingAssets(null, limits);
    const idsOf = (listed: readonly { id: string }[]) => listed.map(({ id }) => id);
    expect(queues.map(({ project, count, listed }) => [project, count, idsOf(listed)])).toEqual([
      ["busy", 100, ["a1", "a5", "a13", "a17"]],
      ["quiet", 100, ["a9", "a21", "a33", "a45"]],
    ]);
    expect(await data.pendingAssets(["quiet", "other"], limits)).toEqual(queues.slice(1));
  });

  // Postgres uses a term index only if there are many texts, as in `bun run bench growth-postgres`.
  test.if(dialect === "sqlite")("recall sorts only its limited number of matches", async () => {
    const request = { match: { term: "step" }, order: "likeness", limit: 150 } as const;
    const works: ReadCalls[] = [
      ...memoryKinds.map((kind) => (reads: Reads) => reads.search(null, kind, request)),
      ...memoryKinds.map(
        (kind) => (reads: Reads) => reads.search(["busy", "quiet"], kind, { ...request, order: "newest" }),
      ),
      (reads) => reads.search(null, "event", { ...request, order: "newest" }),
      (reads) => reads.search(null, "event", { ...request, rank: { term: "a" } }),
      (reads) => reads.search(null, "event", { ...request, match: { term: "ste", prefix: true } }),
      ...[null, ["busy", "quiet"]].flatMap((projects) => [
        (reads: Reads) => reads.findSimilarWords(projects, ["ste", "tep"], 200),
        (reads: Reads) => reads.countMatches(projects, [{ term: "step" }], 1000),
        (reads: Reads) =>
          reads.search(projects, "event", {
            ...request,
            order: "newest",
            match: { term: "ste", prefix: true },
          }),
      ]),
    ];
    // long enough for prefixes to be expanded
    await rowsOf(db.testData.url, "update feed_head set id = id + 20000000");
    expect(exceptAllowed({ matches: ["sorts"] }, await db.wasted(works))).toEqual([]);
    await rowsOf(db.testData.url, "update feed_head set id = id - 20000000");
  });

  test("a library page with one filter or none is a range of one index; with several it scans the index of one", async () => {
    const after = { status: "approved", created_at: newest, id: "0" } as const;
    const read = (filter: AssetFilter) => [
      (reads: Reads) => reads.assets(null, { ...filter, limit: 50 }),
      (reads: Reads) => reads.assets(null, { ...filter, limit: 50, after }),
      (reads: Reads) => reads.assets(null, { ...filter, limit: 50, after, order: "oldest" }),
    ];
    // Few assets share an issue: of those, Postgres reads an index or a small table whole.
    const { project, status, kind } = library;
    const one = [{}, { project }, { status }, { kind }];
    const sorted: Record<string, Waste["what"][]> = { matches: ["sorts"] };
    expect(exceptAllowed(sorted, await db.wasted(one.flatMap(read)))).toEqual([]);
    expect(
      exceptAllowed({ ...sorted, assets: ["filters rows"] }, await db.wasted(subsets(library).flatMap(read))),
    ).toEqual([]);
  });

  test("a file of a bundle is found by its hash and by its path in indexes", async () => {
    const works: ReadCalls[] = [
      (reads) => reads.assets(null, { file_sha256: "00", limit: 50 }),
      (reads) => reads.bundleFiles("0"),
      (reads) => reads.bundleFile("0", "index.html"),
    ];
    expect(exceptAllowed({ matches: ["sorts"] }, await db.wasted(works))).toEqual([]);
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
        (reads: Reads) => reads.bundlesWithoutManifest("", 50),
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
      "people",
      "outbox",
      "decisions",
      "preferences",
      "audit",
      "schema_migrations",
    ];
    const allowed = Object.fromEntries(small.map((table) => [table, [...whole]]));
    expect(
      exceptAllowed({ ...allowed, projects: ["filters rows"], matches: ["sorts"] }, await db.wasted(works)),
    ).toEqual([]);
  });
});
