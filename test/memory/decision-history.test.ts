/** Decisions of all projects, one decision with its history, retiring, and the digests by day. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { DecisionList, DigestList, ModelList } from "../../src/memory/list-schemas.ts";
import type { DecisionDetail } from "../../src/overview/memory/decision-schema.ts";
import { dialects, event, link, must, openApp, type TestApp } from "../support/harness.ts";
import { eventsOf } from "../support/memory/memory.ts";

const projects = ["atlas", "beacon", "coral"];

describe.each(dialects)("on %s", (dialect) => {
  let app: TestApp;
  let token: string;
  const ids = new Map<string, number>();
  const get = async <T>(path: string, as = token): Promise<T> => {
    const response = await app.ask(`/api/v1${path}`, { token: as });
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as T;
  };
  const post = (path: string, json: object, as = token) =>
    app.ask(`/api/v1${path}`, { method: "POST", token: as, json });
  const idOf = (text: string) => must(ids.get(text));
  const texts = ({ decisions }: DecisionList) => decisions.map(({ text }) => text);
  const decide = async (project: string, text: string, fields: object = {}) => {
    app.clock.advance(60_000_000);
    const decided = (await (await post("/decisions", { project, text, ...fields })).json()) as { id: number };
    ids.set(text, decided.id);
  };

  beforeAll(async () => {
    app = await openApp(dialect);
    for (const slug of projects) await link(app.ctx.data, slug);
    token = await app.mint(["memory:read", "memory:write"]);
    for (const round of [1, 2, 3])
      for (const project of projects) await decide(project, `Rule ${round} of ${project}`);
    await decide("atlas", "Rule 4 of atlas", { supersedes: idOf("Rule 1 of atlas") });
    await decide("beacon", "Rule 5 of beacon", { supersedes: idOf("Rule 3 of beacon") });
  });
  afterAll(() => app.close());

  const allPages = async (query: string, as = token) => {
    const found: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: DecisionList = await get(`/decisions?limit=3${query}${cursor && `&cursor=${cursor}`}`, as);
      found.push(...texts(page));
      cursor = page.next_cursor;
    }
    return found;
  };
  const newestFirst = [
    ...["Rule 5 of beacon", "Rule 4 of atlas"],
    ...[3, 2, 1].flatMap((round) => ["coral", "beacon", "atlas"].map((slug) => `Rule ${round} of ${slug}`)),
  ];
  const ended = ["Rule 3 of beacon", "Rule 1 of atlas"];

  test("GET /decisions lists those of all projects by page, newest first, each once", async () => {
    expect(await allPages("&status=all")).toEqual(newestFirst);
    expect(await allPages("")).toEqual(newestFirst.filter((text) => !ended.includes(text)));
    expect(await allPages("&status=superseded")).toEqual(ended);
    expect(await allPages("&project=coral")).toEqual(newestFirst.filter((text) => text.includes("coral")));
  });

  test("a token for some projects lists theirs, merged by time", async () => {
    const two = await app.mint(["memory:read"], { projects: ["beacon", "atlas"] });
    const theirs = newestFirst.filter((text) => !text.includes("coral"));
    expect(await allPages("&status=all", two)).toEqual(theirs);
    expect(await allPages("&status=superseded", two)).toEqual(ended);
    expect((await app.ask("/api/v1/decisions?project=coral", { token: two })).status).toBe(404);
  });

  test("as_of lists what was current in each project at that time", async () => {
    const { valid_from } = await get<DecisionDetail>(`/decisions/${idOf("Rule 2 of atlas")}`);
    expect(await allPages(`&as_of=${valid_from}`)).toEqual([
      ...["Rule 2 of atlas", "Rule 1 of coral", "Rule 1 of beacon", "Rule 1 of atlas"],
    ]);
  });

  test("GET /decisions/{id} has what it replaced and what replaced it", async () => {
    const first = await get<DecisionDetail>(`/decisions/${idOf("Rule 1 of atlas")}`);
    const second = await get<DecisionDetail>(`/decisions/${idOf("Rule 4 of atlas")}`);
    expect([first.superseded, first.superseded_by?.id]).toEqual([null, second.id]);
    expect([second.superseded?.text, second.superseded_by]).toEqual(["Rule 1 of atlas", null]);
    expect([first.valid_until, second.supersedes]).toEqual([second.valid_from, first.id]);
  });

  test("a token of another project finds no decision, and retires none", async () => {
    const other = await app.mint(["memory:read", "memory:write"], { projects: ["coral"] });
    const path = `/decisions/${idOf("Rule 2 of atlas")}`;
    const missing = await app.ask(`/api/v1${path}`, { token: other });
    const unknown = await app.ask("/api/v1/decisions/999", { token: other });
    expect([missing.status, unknown.status]).toEqual([404, 404]);
    expect((await post(`${path}/retire`, {}, other)).status).toBe(404);
    expect((await get<DecisionDetail>(path)).valid_until).toBeNull();
  });

  test("a retired decision stays in the history, is an event, and cannot be retired again", async () => {
    await decide("coral", "Rule 6 of coral\nin two lines");
    const id = idOf("Rule 6 of coral\nin two lines");
    const count = async () => (await app.ctx.data.project(null, "coral"))?.decisionsCount;
    const before = must(await count());
    const response = await post(`/decisions/${id}/retire`, { by: "human:mara" });
    expect(response.status).toBe(200);
    const retired = await get<DecisionDetail>(`/decisions/${id}`);
    expect([await response.json(), retired.superseded_by]).toMatchObject([
      { id, valid_until: retired.valid_until },
      null,
    ]);
    expect([retired.valid_until !== null, await count()]).toEqual([true, before - 1]);
    expect(
      (await eventsOf(app.ctx, "decision.retired")).map(({ actor, summary }) => [actor, summary]),
    ).toEqual([["human:mara", "Rule 6 of coral"]]);
    expect((await post(`/decisions/${id}/retire`, {})).status).toBe(409);
    const reader = await app.mint(["memory:read"]);
    expect((await post(`/decisions/${idOf("Rule 2 of coral")}/retire`, {}, reader)).status).toBe(403);
  });

  test("digests add up each summarized day, newest first, and page by day", async () => {
    const rollup = { kind: "run.finished", project: "atlas", cost_equiv: 0.25, tokens_in: 10 } as const;
    const list = (query = "") => get<DigestList>(`/projects/atlas/digests${query}`);
    expect(await list()).toEqual({ digests: [], count: 0, next_before: null });
    for (const model of ["a", "b"])
      await app.ctx.data.append([event({ ...rollup, model }), event({ ...rollup, lane: "lane_a", model })]);
    app.clock.advance(24 * 3600 * 1_000_000);
    await app.ctx.data.append([event({ ...rollup, kind: "run.failed" })]);
    await app.ctx.data.atomically((writes) => writes.summarizeUsage("atlas", 50));
    const { digests } = await list();
    expect(
      digests.map(({ runs, failures, cost_equiv, tokens_in }) => [runs, failures, cost_equiv, tokens_in]),
    ).toEqual([
      [1, 1, 0.25, 10],
      [4, 0, 1, 40],
    ]);
    const [newest, oldest] = digests;
    const page = await list("?limit=1");
    expect([page.digests, page.next_before]).toEqual([[must(newest)], must(newest).day]);
    expect(await list(`?limit=1&before=${page.next_before}`)).toEqual({
      ...{ digests: [must(oldest)], count: 1, next_before: null },
    });
  });

  test("GET /models lists the models with the age of their guidance", async () => {
    const model = { id: "m-1", provider: "Anthropic", lanes: ["lane_a"], guidance_count: 0, skill_count: 0 };
    await app.ctx.data.atomically((writes) =>
      writes.saveModel({ ...model, onboarded_at: null, refreshed_at: null }),
    );
    expect(await get<ModelList>("/models")).toEqual({
      models: [{ ...model, onboarded_at: null, stale_days: 0, status: "pending" }],
      count: 1,
    });
  });
});
