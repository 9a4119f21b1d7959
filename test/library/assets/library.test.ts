/** The list of assets: its order, pages, filters and query plans. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ulid } from "ulid";
import type { Data, Writes } from "../../../src/api/port.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import type { AssetDetail, AssetList, AssetStatus } from "../../../src/library/assets/schema.ts";
import { addVersion, givenColumns, type NewAsset } from "../../../src/library/assets/versions.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import { openPlans, type Plans } from "../../support/database/query-plans.ts";
import { dialects, link, must, rowsOf, writeInBatches } from "../../support/harness.ts";
import { deployments, type Library, openLibrary } from "../../support/library.ts";

const statuses: AssetStatus[] = ["pending", "approved", "rejected", "superseded", "published"];
const kinds = ["image", "video", "audio", "pdf", "html", "file"] as const;
const count = 250;

/** Assets of every status and kind, for a few tasks, in two projects; three of them at any one moment. */
async function fill({ ctx, clock }: Library): Promise<AssetRow[]> {
  await link(ctx.data, "borealis");
  const add = async (writes: Writes, index: number): Promise<AssetRow> => {
    const id = ulid(Math.floor(clock.now() / 1000));
    const created_at = clock.now() + Math.floor(index / 3) * secondMicros;
    const asset: NewAsset = {
      ...{
        ...givenColumns({}),
        id,
        project: index % 5 ? "atlas" : "borealis",
        issue: index % 7 || null,
        pr: index % 11 || null,
        title: `Asset ${index}`,
      },
      ...{
        run_id: null,
        created_by: "token:tester",
        size: 10,
        sha256: `${index % 13}`.padStart(64, "0"),
        mime: "x/y",
      },
      ...{
        kind: must(kinds[index % 6]),
        width: null,
        height: null,
        duration_ms: null,
        has_thumb: false,
        thumb_format: null,
        bundle_index: null,
      },
      ...{ key: `atlas/${id}/a`, created_at },
    };
    const row = await addVersion(writes, ctx.config, asset, "a", undefined);
    const status = must(statuses[(index * 3) % 5]);
    await writes.changeAsset(id, { status });
    return { ...row, status };
  };
  return writeInBatches(ctx.data, count, add);
}

/** The order of the contract: what waits first, then the newest first. */
const inOrder = (rows: AssetRow[]): AssetRow[] =>
  rows.toSorted(
    (a, b) =>
      Number(b.status === "pending") - Number(a.status === "pending") ||
      b.created_at - a.created_at ||
      (a.id < b.id ? 1 : -1),
  );

describe.each(deployments)("the library on $dialect and $place", ({ dialect, place }) => {
  let library: Library;
  let rows: AssetRow[];
  beforeAll(async () => {
    library = await openLibrary(dialect, place);
    rows = await fill(library);
  });
  afterAll(() => library.close());

  const list = async (query = "", token = library.token) => {
    const { status, body } = await library.say<AssetList>(`/assets${query}`, { token });
    expect([query, status]).toEqual([query, 200]);
    expect(body.count).toBe(body.assets.length);
    return body;
  };
  /** Every page, one after the other. */
  const all = async (query: string, token = library.token, from = ""): Promise<string[]> => {
    const ids: string[] = [];
    for (let cursor: string | null = from; cursor !== null; ) {
      const page: AssetList = await list(`?${query}${cursor && `&cursor=${cursor}`}`, token);
      ids.push(...page.assets.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    return ids;
  };
  const idsOf = (wanted: AssetRow[]) => inOrder(wanted).map(({ id }) => id);

  test("is listed in pages of fifty, pending reviews first, then the newest", async () => {
    const { assets, next_cursor } = await list();
    expect(assets.map(({ id }) => id)).toEqual(idsOf(rows).slice(0, 50));
    expect(assets.every(({ status }) => status === "pending")).toBe(true);
    expect(next_cursor).toBeString();
    expect((await list("?limit=200")).assets.length).toBe(200);
    expect((await list("?limit=1")).assets.map(({ id }) => id)).toEqual(idsOf(rows).slice(0, 1));
  });

  test.each([1, 7, 50, 200])("in pages of %d has each asset once", async (limit) => {
    const wanted = limit === 1 ? rows.filter(({ issue }) => issue === 3) : rows;
    expect(await all(`limit=${limit}${limit === 1 ? "&issue=3" : ""}`)).toEqual(idsOf(wanted));
  });

  test("in the order `oldest` is the same list reversed, in pages as well", async () => {
    expect(await all("order=oldest&limit=50")).toEqual(idsOf(rows).toReversed());
    const pending = rows.filter(({ status, project }) => status === "pending" && project === "atlas");
    expect(await all("order=oldest&limit=7&status=pending&project=atlas")).toEqual(
      idsOf(pending).toReversed(),
    );
  });

  test("by title has each asset once, in pages as well", async () => {
    const byTitle = [...rows].sort((a, b) =>
      a.title.toLowerCase() === b.title.toLowerCase()
        ? a.id < b.id
          ? -1
          : 1
        : a.title.toLowerCase() < b.title.toLowerCase()
          ? -1
          : 1,
    );
    const found = await all("order=title&limit=50");
    expect(found.toSorted()).toEqual(byTitle.map(({ id }) => id).toSorted());
    const titles = new Map(rows.map(({ id, title }) => [id, title]));
    const names = found.map((id) => must(titles.get(id)));
    expect([names[0], names.at(-1)]).toEqual([must(byTitle[0]).title, must(byTitle.at(-1)).title]);
  });

  test("says of each what its own page says, one written before texts were kept among them", async () => {
    const wanted = await list("?limit=9");
    await rowsOf(library.url, `update assets set wire = null where id = '${must(wanted.assets[1]).id}'`);
    expect(await list("?limit=9")).toEqual(wanted);
    for (const asset of wanted.assets)
      expect((await library.say<AssetDetail>(`/assets/${asset.id}`)).body).toMatchObject(asset);
  });

  test("has no next page after the last asset", async () => {
    const matching = rows.filter(({ kind }) => kind === "pdf").length;
    expect((await list(`?kind=pdf&limit=${matching}`)).next_cursor).toBeNull();
    expect((await list(`?kind=pdf&limit=${matching - 1}`)).next_cursor).toBeString();
    expect(await list("?project=nowhere")).toEqual({ assets: [], count: 0, next_cursor: null });
  });

  const filters: [string, (row: AssetRow) => boolean][] = [
    ["project=borealis", ({ project }) => project === "borealis"],
    ...statuses.map((status): [string, (row: AssetRow) => boolean] => [
      `status=${status}`,
      (row) => row.status === status,
    ]),
    ...kinds.map((kind): [string, (row: AssetRow) => boolean] => [
      `kind=${kind}`,
      (row) => row.kind === kind,
    ]),
    ["issue=4", ({ issue }) => issue === 4],
    ["pr=10", ({ pr }) => pr === 10],
    [`sha256=${"7".padStart(64, "0")}`, ({ sha256 }) => sha256.endsWith("07")],
    [
      "project=atlas&status=approved&kind=image",
      (row) => row.project === "atlas" && row.status === "approved" && row.kind === "image",
    ],
    ["issue=4&pr=10&project=atlas", (row) => row.issue === 4 && row.pr === 10 && row.project === "atlas"],
    ["issue=2147483647", () => false],
  ];
  test.each(filters)("with %s is what fits, in the same order", async (query, fits) => {
    expect(await all(`${query}&limit=9`)).toEqual(idsOf(rows.filter(fits)));
  });

  test("of a token for one project has no others", async () => {
    const token = await library.mint(["assets:read"], { projects: ["borealis"] });
    const own = rows.filter(({ project }) => project === "borealis");
    expect(await all("limit=20", token)).toEqual(idsOf(own));
    expect(await all("limit=20&project=atlas", token)).toEqual([]);
    const both = await library.mint(["assets:read"], { projects: ["borealis", "atlas"] });
    expect(await all("limit=90", both)).toEqual(idsOf(rows));
    const nowhere = await library.mint(["assets:read"], { projects: ["nowhere"] });
    expect(await all("", nowhere)).toEqual([]);
  });

  const badCursors = [
    "",
    "x",
    "W10",
    "bnVsbA",
    "NQ",
    "a".repeat(513),
    ...[
      [],
      [true],
      [1, 2, "a"],
      [true, 1.5, "a"],
      [true, 1, 7],
      [true, 1, ""],
      [true, "1", "a"],
      [true, 1, "a\0"],
      [true, 1, "a".repeat(65)],
      { 0: true },
    ].map((value) => Buffer.from(JSON.stringify(value)).toString("base64url")),
  ];
  test("is a 400 for an invalid query", async () => {
    const bad = [
      ...["0", "201", "-1", "1e2", "5.0", "", "x"].map((limit) => `limit=${limit}`),
      ...["", "Pending", "done", "pending,approved"].map((status) => `status=${status}`),
      ...["", "png", "IMAGE"].map((kind) => `kind=${kind}`),
      ...["0", "-1", "2147483648", "9".repeat(30), "x", "1.0", "+1"].flatMap((number) => [
        `issue=${number}`,
        `pr=${number}`,
      ]),
      ...["", "A", "a b"].map((project) => `project=${project}`),
      ...["", "x", "A".repeat(64)].map((sha256) => `sha256=${sha256}`),
      ...["limit=5&limit=5", "kind=image&kind=image"],
      ...badCursors.map((cursor) => `cursor=${encodeURIComponent(cursor)}`),
    ];
    for (const query of bad)
      expect([query, (await library.say(`/assets?${query}`)).status]).toEqual([query, 400]);
    expect((await list("?unknown=1&unknown=2")).count).toBe(50);
  });

  test("pages stably while others upload and review", async () => {
    const first = await list("?limit=60&project=atlas");
    const found = first.assets.map(({ id }) => id);
    const expected = idsOf(rows.filter(({ project }) => project === "atlas"));
    const added = await library.plant({ created_at: library.clock.now() + 1_000 * secondMicros });
    await library.review(must(found[0]), { decision: "approved" });
    const rest = await all("limit=60&project=atlas", library.token, must(first.next_cursor));
    expect(rest).not.toContain(added.id);
    expect(rest.filter((id) => id !== found[0])).toEqual(expected.slice(60));
  });

  test("is found by words of its title, file, set, and tags, and without its older versions", async () => {
    const upload = async (name: string, fields: object) => {
      const file = new File([`${name} ${JSON.stringify(fields)}`], name);
      return must((await library.upload({ project: "atlas", ...fields }, file)).body.id);
    };
    const first = await upload("pier-50%.txt", { title: "Berths of the Ärger pier", tags: "Plan,a_b" });
    const next = { title: "Berths of the new pier", replaces: first, set: "heroes" };
    const second = await upload("pier-2.txt", next);
    for (const query of ["query=PIER+berths", "query=berths+plan+50%25", "query=a_b"])
      expect([query, (await all(query)).includes(first)]).toEqual([query, true]);
    for (const query of ["query=pier+nowhere", "query=5_%25.txt", "query=%25%25"])
      expect([query, (await all(query)).includes(first)]).toEqual([query, false]);
    expect(await all("query=berths+pier&versions=newest")).toEqual([second]);
    expect(await all("query=heroes&limit=1")).toEqual([second]);
    expect((await all("query=berths+pier&limit=1&order=title")).toSorted()).toEqual(
      [first, second].toSorted(),
    );
  });
});

/** How the database finds what the list asks for. */
describe.each(dialects)("the plan of the list on %s", (dialect) => {
  let library: Library;
  let plans: Plans;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    await fill(library);
    if (dialect === "postgres") await rowsOf(library.url, "analyze assets");
    plans = openPlans(dialect, library.url);
  });
  afterAll(async () => {
    await plans.close();
    await library.close();
  });

  const after = { status: "approved" as const, created_at: 1, id: "x" };
  const limit = 51;
  test.each([
    [null, { limit }],
    [null, { limit, after }],
    [null, { limit, after, project: "atlas" }],
    [null, { limit, after, status: "rejected" }],
    [null, { limit, after, kind: "image" }],
    [null, { limit, after, issue: 3 }],
    [null, { limit, after, pr: 3 }],
    [["atlas"], { limit, after }],
  ] as Parameters<Data["assets"]>[])(
    "for %j and %j goes to its place in an index, and sorts nothing",
    async (projects, page) => {
      const plan = (await plans.steps((reads) => reads.assets(projects, page))).join("\n");
      expect(plan).toMatch(/USING INDEX assets_|Index Scan Backward using assets_/);
      expect(plan).not.toMatch(/TEMP B-TREE|Sort|SCAN assets$|Seq Scan/);
      if (page.after)
        expect(plan).toMatch(
          /\(waiting,created_at,id\)<\(\?,\?,\?\)|ROW\((\w+, )?waiting, created_at, id\) < ROW/,
        );
    },
  );
});
