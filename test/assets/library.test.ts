/**
 * Reading the library: the list with its order, filters and cursor; one asset; deployments without stores.
 */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, spyOn, test } from "bun:test";
import { chmod, unlink } from "node:fs/promises";
import { join } from "node:path";
import { ulid } from "ulid";
import { openData } from "../../db/open.ts";
import type { Asset, AssetDetail, AssetList, AssetStatus } from "../../src/assets/schema.ts";
import { addVersion, type NewAsset } from "../../src/assets/versions.ts";
import type { Data } from "../../src/data.ts";
import { fromMicros, secondMicros } from "../../src/lib/time.ts";
import type { AssetRow } from "../../src/rows.ts";
import {
  type Dialect,
  dialects,
  freshDatabase,
  link,
  must,
  programToken,
  rowsOf,
  startServer,
  temporaryFolder,
} from "../support/harness.ts";
import { combinations, file, type Library, openLibrary } from "../support/library.ts";

const statuses: AssetStatus[] = ["pending", "approved", "rejected", "superseded", "published"];
const kinds = ["image", "video", "audio", "pdf", "html", "file"] as const;
const count = 250;

/** Assets of every status and kind, for a few tasks, in two projects; three of them at any one moment. */
async function fill({ ctx, clock }: Library): Promise<AssetRow[]> {
  await link(ctx.data, "borealis");
  return ctx.data.atomically(async (writes) => {
    const rows: AssetRow[] = [];
    for (let index = 0; index < count; index++) {
      const id = ulid(Math.floor(clock.now() / 1000));
      const created_at = clock.now() + Math.floor(index / 3) * secondMicros;
      const asset: NewAsset = {
        ...{
          id,
          project: index % 5 ? "atlas" : "borealis",
          issue: index % 7 || null,
          pr: index % 11 || null,
          title: `Asset ${index}`,
        },
        ...{
          description: null,
          tags: [],
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
          bundle_index: null,
        },
        ...{ key: `atlas/${id}/a`, created_at },
      };
      const row = await addVersion(writes, ctx.config, asset, "a", undefined);
      const status = must(statuses[(index * 3) % 5]);
      await writes.changeAsset(id, { status });
      rows.push({ ...row, status });
    }
    return rows;
  });
}

/** The order of the contract: what waits first, then the newest first. */
const inOrder = (rows: AssetRow[]): AssetRow[] =>
  rows.toSorted(
    (a, b) =>
      Number(b.status === "pending") - Number(a.status === "pending") ||
      b.created_at - a.created_at ||
      (a.id < b.id ? 1 : -1),
  );

describe.each(combinations)("the library on $dialect and $place", ({ dialect, place }) => {
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
    const seen = first.assets.map(({ id }) => id);
    const expected = idsOf(rows.filter(({ project }) => project === "atlas"));
    const added = await library.plant({ created_at: library.clock.now() + 1_000 * secondMicros });
    await library.review(must(seen[0]), { decision: "approved" });
    const rest = await all("limit=60&project=atlas", library.token, must(first.next_cursor));
    expect(rest).not.toContain(added.id);
    expect(rest.filter((id) => id !== seen[0])).toEqual(expected.slice(60));
  });

  test("returns one asset with its versions, its task and URLs that are valid for an hour", async () => {
    const first = (await library.upload({ project: "atlas", issue: "12" }, file("a.txt", "one"))).body;
    const { id } = (
      await library.upload({ project: "atlas", replaces: first.id, by: "agent:codex" }, file("b.txt", "two"))
    ).body;
    const { body } = await library.say<AssetDetail>(`/assets/${id}`);
    expect<unknown>(body).toMatchObject({
      id,
      version: 2,
      parent_id: first.id,
      task_url: "https://github.com/acme/atlas/issues/12",
    });
    const version = (number: number, status: string, created_by: string) => ({
      ...{
        version: number,
        status,
        created_by,
        thumb_url: null,
        created_at: fromMicros(library.clock.now()),
      },
    });
    expect<unknown>(body.versions).toEqual([
      { id: first.id, ...version(1, "superseded", "token:tester") },
      { id, ...version(2, "pending", "agent:codex") },
    ]);
    library.clock.advance(3_599 * secondMicros);
    expect(await (await library.fetch(body.url)).text()).toBe("two");
    library.clock.advance(400 * secondMicros);
    expect((await library.fetch(body.url)).status).toBe(403);
    for (const unknown of [
      "01KJMMA2G04TRJQTGZ9SY6NSVZ",
      "x",
      "__proto__",
      "constructor",
      id.toLowerCase(),
      `${id}0`,
      "%2e%2e",
      "a%00b",
    ])
      expect([unknown, [400, 404].includes((await library.say(`/assets/${unknown}`)).status)]).toEqual([
        unknown,
        true,
      ]);
  });

  test.each([
    [{ issue: 12, pr: 34 }, "https://github.com/acme/atlas/pull/34"],
    [{ issue: 12 }, "https://github.com/acme/atlas/issues/12"],
    [{}, null],
  ])("says of the task %j that it is at %p", async (task, url) => {
    const { id } = await library.plant(task);
    expect((await library.say<AssetDetail>(`/assets/${id}`)).body.task_url).toBe(url);
  });

  test("without stores is readable, and answers writes with a 501, or 401 and 403 without the scope", async () => {
    const { id } = await library.plant({ status: "approved" } as Partial<NewAsset>);
    await library.review(id, { decision: "approved" });
    const { store, publicStore } = library;
    Object.assign(library.ctx, { store: null, publicStore: null });
    const none = { url: null, thumb_url: null, bundle_url: null };
    expect((await library.say(`/assets/${id}`)).body).toMatchObject({ id, ...none });
    expect((await list("?limit=200")).assets.every(({ url }) => url === null)).toBe(true);
    expect((await library.review(id, { decision: "approved", note: "Still." })).status).toBe(200);
    const form = () => {
      const body = new FormData();
      body.append("file", file());
      return { method: "POST", body };
    };
    const needStore = [
      ["/assets", form()],
      ["/assets", { json: { presign: true } }],
      [`/assets/${id}/finalize`, { json: {} }],
      [`/assets/${id}/publish`, { method: "POST" }],
    ] as const;
    const reader = await library.mint(["assets:read"]);
    for (const [path, init] of needStore) {
      const answers = [library.token, "", reader].map(
        async (token) => (await library.say(path, { ...init, token })).status,
      );
      expect([path, await Promise.all(answers)]).toEqual([path, [501, 401, 403]]);
    }
    Object.assign(library.ctx, { store });
    expect((await library.publish(id)).status).toBe(501);
    expect((await library.upload({ project: "atlas" })).status).toBe(201);
    Object.assign(library.ctx, { publicStore });
  });
});

test("a task on GitHub Enterprise links to it", async () => {
  await using library = await openLibrary("sqlite", "disk", {
    SVC_GITHUB_API_URL: "https://code.example/api/v3",
  });
  const { id } = await library.plant({ pr: 7 });
  expect((await library.say<AssetDetail>(`/assets/${id}`)).body.task_url).toBe(
    "https://code.example/acme/atlas/pull/7",
  );
});

/** How the database finds what the list asks for; a table this small would else be read whole. */
async function planOf(
  dialect: Dialect,
  { ctx, url }: Library,
  query: Parameters<Data["assets"]>,
): Promise<string> {
  const statements: string[] = [];
  const prepare = Database.prototype.prepare;
  const spy = spyOn(Database.prototype, "prepare").mockImplementation(function (
    this: Database,
    text: string,
  ) {
    statements.push(text);
    return prepare.call(this, text);
  } as typeof prepare);
  await ctx.data.assets(...query);
  spy.mockRestore();
  if (dialect === "sqlite") {
    const plan = await rowsOf(url, `explain query plan ${must(statements.at(-1)).replaceAll("?", "1")}`);
    return plan.map(({ detail }) => detail).join("\n");
  }
  const recent =
    "select query from pg_stat_activity where datname = current_database() and query like '%from \"assets\"%' and pid <> pg_backend_pid()";
  const [row] = await rowsOf(url, `${recent} order by query_start desc limit 1`);
  for (const way of ["seqscan", "sort", "bitmapscan"])
    await rowsOf(url, `alter database ${new URL(url).pathname.slice(1)} set enable_${way} = off`);
  return (await rowsOf(url, `explain (generic_plan, costs off) ${row?.query}`))
    .map((line) => line["QUERY PLAN"])
    .join("\n");
}

describe.each(dialects)("the plan of the list on %s", (dialect) => {
  let library: Library;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    await fill(library);
    if (dialect === "postgres") await rowsOf(library.url, "analyze assets");
  });
  afterAll(() => library.close());

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
      const plan = await planOf(dialect, library, [projects, page]);
      expect(plan).toMatch(/USING INDEX assets_|Index Scan Backward using assets_/);
      expect(plan).not.toMatch(/TEMP B-TREE|Sort|SCAN assets$|Seq Scan/);
      if (page.after)
        expect(plan).toMatch(
          /\(waiting,created_at,id\)<\(\?,\?,\?\)|ROW\((\w+, )?waiting, created_at, id\) < ROW/,
        );
    },
  );
});

describe("the program", () => {
  const writes: [string, RequestInit][] = [
    [
      "/assets",
      { method: "POST", headers: { "content-type": "application/json" }, body: '{"presign":true}' },
    ],
    [
      "/assets",
      { method: "POST", headers: { "content-type": "multipart/form-data; boundary=x" }, body: "--x--" },
    ],
    ["/assets/x/finalize", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }],
    ["/assets/x/publish", { method: "POST" }],
  ];
  const review: [string, RequestInit] = [
    "/assets/x/review",
    { method: "PUT", headers: { "content-type": "application/json" }, body: "{}" },
  ];
  const statusesOf = (origin: string, asked: [string, RequestInit][], token = programToken) =>
    Promise.all(
      asked.map(async ([path, init]) => {
        const headers = { ...init.headers, authorization: `Bearer ${token}` };
        const response = await fetch(`${origin}/api/v1${path}`, { ...init, headers });
        return [path, response.status, response.headers.get("content-type")];
      }),
    );
  const each = (asked: [string, RequestInit][], status: number) =>
    asked.map(([path]) => [path, status, "application/problem+json"]);

  /** The superuser may read everything, unless he starts without that power. */
  const bound = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] : [];
  test.skipIf(bound.length > 0 && !Bun.which("setpriv"))(
    "answers 503 for bytes that cannot be read, 404 where they are gone, though seen a moment ago",
    async () => {
      await using folder = await temporaryFolder();
      await using database = await freshDatabase("sqlite");
      const data = await openData(database.url, { now: () => Date.now() * 1000, log() {} });
      await link(data, "atlas");
      await data.close();
      await using server = await startServer(database, { SVC_DATA_DIR: folder.path }, undefined, bound);
      const body = new FormData();
      body.append("project", "atlas");
      body.append("file", file());
      const headers = { authorization: `Bearer ${programToken}` };
      const { url, id }: Asset = await (
        await fetch(`${server.origin}/api/v1/assets`, { method: "POST", headers, body })
      ).json();
      const part = () => fetch(must(url), { headers: { range: "bytes=5-9" } });
      expect([(await part()).status, await (await part()).text()]).toEqual([206, "words"]);
      const path = join(folder.path, "assets-local/private/atlas", id, "note.txt");
      await chmod(path, 0);
      const refused = await part();
      expect([
        refused.status,
        refused.headers.get("content-type"),
        refused.headers.has("retry-after"),
      ]).toEqual([...[503, "application/problem+json", true]]);
      await chmod(path, 0o600);
      expect((await part()).status).toBe(206);
      await unlink(path);
      const answer = await part();
      expect([answer.status, answer.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    },
  );

  test("without stores takes no uploads and publishes nothing", async () => {
    await using database = await freshDatabase("sqlite");
    await using folder = await temporaryFolder();
    const env = { SVC_DATA_DIR: folder.path, SVC_ASSET_STORE: "none", SVC_PUBLIC_STORE: "none" };
    await using server = await startServer(database, env);
    expect(await statusesOf(server.origin, writes)).toEqual(each(writes, 501));
    expect(await statusesOf(server.origin, [review])).toEqual(each([review], 400));
    expect(await statusesOf(server.origin, writes, "unknown")).toEqual(each(writes, 401));
    expect(await Array.fromAsync(new Bun.Glob("**/*").scan(folder.path))).toEqual([]);
  });

  test.each(["local", "none"])(
    "in mock mode shows assets, with bytes unless its store is none, and takes no writes: %s",
    async (place) => {
      await using folder = await temporaryFolder();
      await using server = await startServer(
        { url: "" },
        { SVC_DATA_DIR: folder.path, SVC_DATA_MODE: "mock", SVC_ASSET_STORE: place },
      );
      const asked = [...writes, review];
      expect(await statusesOf(server.origin, asked)).toEqual(each(asked, 501));
      expect(await statusesOf(server.origin, asked, "unknown")).toEqual(each(asked, 401));
      const headers = { authorization: `Bearer ${programToken}` };
      const { assets } = (await (
        await fetch(`${server.origin}/api/v1/assets?limit=200`, { headers })
      ).json()) as AssetList;
      expect(assets.length).toBeGreaterThan(3);
      const none = place === "none";
      for (const { url, thumb_url, bundle_url } of assets) {
        expect(url === null).toBe(none);
        if (none) expect([thumb_url, bundle_url]).toEqual([null, null]);
      }
      const asset = await fetch(`${server.origin}/api/v1/assets/${assets[0]?.id}`, { headers });
      expect([asset.status, ((await asset.json()) as AssetDetail).url === null]).toEqual([200, none]);
      expect((await fetch(`${server.origin}/api/v1/assets`)).status).toBe(401);
      expect(await Array.fromAsync(new Bun.Glob("**/*").scan(folder.path))).toEqual([]);
    },
  );
});
