/** Memory over HTTP: brief, recall, decisions and preferences, with the rules of their MCP tools. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { DecisionList, PreferenceList } from "../../src/memory/list-schemas.ts";
import type { Recalled } from "../../src/memory/recall/schema.ts";
import type { Brief } from "../../src/overview/brief/schema.ts";
import { dialects, link, must, openApp, type TestApp } from "../support/harness.ts";

describe.each(dialects)("on %s", (dialect) => {
  let app: TestApp;
  let token: string;
  let oldest: number;
  const get = async <T>(path: string, as = token): Promise<T> => {
    const response = await app.ask(`/api/v1${path}`, { token: as });
    expect([path, response.status]).toEqual([path, 200]);
    return (await response.json()) as T;
  };
  const send = async <T>(method: string, path: string, json: object): Promise<T> =>
    (await (await app.ask(`/api/v1${path}`, { token, method, json })).json()) as T;
  const decide = async (text: string, fields: object = {}) => {
    app.clock.advance(60_000_000);
    return (await send<{ id: number }>("POST", "/decisions", { project: "atlas", text, ...fields })).id;
  };
  const texts = ({ decisions }: DecisionList) => decisions.map(({ text }) => text);

  beforeAll(async () => {
    app = await openApp(dialect);
    for (const slug of ["atlas", "beacon"]) await link(app.ctx.data, slug);
    token = await app.mint(["memory:read", "memory:write"]);
    oldest = await decide("Maps are PNG files");
    await decide("Prices are in cents");
    await decide("Maps are SVG files", { supersedes: oldest });
    await send("PUT", "/preferences", { key: "language", value: "en" });
    await send("PUT", "/preferences", { key: "tone", value: "plain" });
    await send("PUT", "/preferences", { key: "language", value: "fr", project: "atlas" });
  });
  afterAll(() => app.close());

  test("GET /projects/{slug}/brief compiles the brief, with its length in max_chars", async () => {
    const { project, text, chars } = await get<Brief>("/projects/atlas/brief?intent=draw+maps&max_chars=900");
    expect([project, chars <= 900, text.includes("Maps are SVG files")]).toEqual(["atlas", true, true]);
  });

  test("GET /recall finds words, in a comma-separated list of kinds", async () => {
    const { hits } = await get<Recalled>("/recall?query=maps&kinds=decision,preference&project=atlas");
    expect(hits.map(({ text }) => text)).toEqual(["Maps are SVG files"]);
    const none = await get<Recalled>("/recall?query=maps&kinds=preference");
    expect(none).toEqual({ hits: [], count: 0 });
    expect((await app.ask("/api/v1/recall?query=maps&kinds=nonsense", { token })).status).toBe(400);
    expect((await app.ask("/api/v1/recall", { token })).status).toBe(400);
  });

  test("GET /projects/{slug}/decisions lists current, superseded, or all decisions, newest first", async () => {
    const list = (query = "") => get<DecisionList>(`/projects/atlas/decisions${query}`);
    expect(texts(await list())).toEqual(["Maps are SVG files", "Prices are in cents"]);
    expect(texts(await list("?status=superseded"))).toEqual(["Maps are PNG files"]);
    const [newest, , first] = (await list("?status=all")).decisions;
    expect(newest).toMatchObject({ supersedes: oldest, valid_until: null });
    expect(first).toMatchObject({ id: oldest, valid_until: must(newest).valid_from });
  });

  test("as_of lists decisions with the status that they had then", async () => {
    const [, second] = (await get<DecisionList>("/projects/atlas/decisions?status=all")).decisions;
    const at = (status: string) =>
      get<DecisionList>(`/projects/atlas/decisions?status=${status}&as_of=${must(second).valid_from}`);
    expect(texts(await at("current"))).toEqual(["Prices are in cents", "Maps are PNG files"]);
    expect(texts(await at("superseded"))).toEqual([]);
  });

  test("the decisions of a project are read by page, each once", async () => {
    const found: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page: DecisionList = await get(
        `/projects/atlas/decisions?status=all&limit=1${cursor && `&cursor=${cursor}`}`,
      );
      found.push(...texts(page));
      cursor = page.next_cursor;
    }
    expect(found).toEqual(["Maps are SVG files", "Prices are in cents", "Maps are PNG files"]);
  });

  test("GET /preferences lists the global ones, or those that apply to a project", async () => {
    const values = async (query: string) =>
      (await get<PreferenceList>(`/preferences${query}`)).preferences.map(({ key, value }) => [key, value]);
    expect(await values("")).toEqual([
      ["language", "en"],
      ["tone", "plain"],
    ]);
    expect(await values("?project=atlas")).toEqual([
      ["language", "fr"],
      ["tone", "plain"],
    ]);
  });

  test("a check with a field that checks have not, such as its standing, is refused by the field's name", async () => {
    const checks = [{ kind: "forbid", text: "a", standing: "confirmed" }];
    const { detail } = await send<{ detail: string }>("POST", "/decisions", {
      ...{ project: "atlas", text: "Words" },
      checks,
    });
    expect(detail).toBe("checks[0].standing is not a known field.");
  });

  test("a token of another project gets a 404, and one without the scope a 403", async () => {
    const elsewhere = await app.mint(["memory:read"], { projects: ["beacon"] });
    const feedOnly = await app.mint(["feed:read"]);
    for (const path of [
      "/projects/atlas/brief",
      "/projects/atlas/decisions",
      "/preferences?project=atlas",
      "/recall?query=maps&project=atlas",
    ]) {
      expect([path, (await app.ask(`/api/v1${path}`, { token: elsewhere })).status]).toEqual([path, 404]);
      expect([path, (await app.ask(`/api/v1${path}`, { token: feedOnly })).status]).toEqual([path, 403]);
    }
  });

  test("GET /token describes any valid token, and answers 401 without one", async () => {
    const limited = await app.mint(["feed:write"], { name: "ci", projects: ["atlas"] });
    expect(await get<object>("/token", limited)).toEqual({
      name: "ci",
      scopes: ["feed:write"],
      projects: ["atlas"],
      expires_at: null,
    });
    for (const wrong of [undefined, "svc_unknown"]) {
      const response = await app.ask("/api/v1/token", wrong ? { token: wrong } : {});
      expect([response.status, response.headers.get("www-authenticate")]).toEqual([
        401,
        expect.stringContaining("Bearer"),
      ]);
    }
  });
});
