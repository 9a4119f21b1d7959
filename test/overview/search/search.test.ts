/** GET /search: one query over everything that a token can read, in groups. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes, type Scope } from "../../../src/core/auth/scopes.ts";
import type { SearchGroupName, SearchResult, SearchResults } from "../../../src/overview/search/schema.ts";
import { dialects, event, link, must, until } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";

const id = "01J9ZC5W8Q4T3M2N1K0H7G6F5D";

describe.each(dialects)("on %s, a search", (dialect) => {
  let library: Library;
  let token: string;
  const find = async (query: string, as: string | null = token, more = ""): Promise<SearchResults> => {
    const path = `/api/v1/search?query=${encodeURIComponent(query)}${more}`;
    const response = await library.ask(path, as === null ? {} : { token: as });
    expect([query, response.status]).toEqual([query, 200]);
    return (await response.json()) as SearchResults;
  };
  const group = ({ groups }: SearchResults, name: string): SearchResult[] =>
    groups.find((one) => one.name === name)?.results ?? [];
  const groupNames = ({ groups }: SearchResults) => groups.map(({ name }) => name);

  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    const { data } = library.ctx;
    token = await library.mint(allScopes);
    await link(data, "beacon");
    const fields = { source: "cli", source_ref: null, actor: "human:zoe", valid_from: 1 };
    await data.atomically(async (writes) => {
      await writes.addDecision({ ...fields, project: "atlas", text: "The lagoon is drawn in blue" });
      await writes.addDecision({
        ...{ ...fields, project: "atlas", source: "review", source_ref: id },
        text: "The lagoon is too dark",
      });
      await writes.setPreference({ ...fields, project: null, key: "lagoon.color", value: "blue" });
      await writes.addDecision({ ...fields, project: "beacon", text: "The lagoon of beacon is secret" });
    });
    await data.append([
      event({ kind: "run.failed", project: "atlas", issue: 118, summary: "The lagoon ran dry" }),
      event({ kind: "run.failed", project: "beacon", issue: 7, summary: "The lagoon of beacon" }),
    ]);
    await library.plant({ id, title: "Map of the lagoon", description: "Soundings", tags: ["chart"] });
    await library.plant({ project: "beacon", title: "Lagoon of beacon" });
    // A search waits two seconds for the newest events, and a busy machine may take longer.
    await until(async () => group(await find("lagoon"), "events").length > 0, "the events in the index");
  });
  afterAll(() => library.close());

  test("finds assets, memory, and events, each with its page, its time, and the matched words", async () => {
    const results = await find("lagoon");
    expect(groupNames(results)).toEqual(["assets", "memory", "events"]);
    expect(group(results, "assets")).toContainEqual(
      expect.objectContaining({
        ...{ type: "asset", id, project: "atlas", title: "Map of the lagoon", matched: ["lagoon"] },
        url: `http://svc.test/assets/${id}`,
      }),
    );
    const memory = group(results, "memory");
    const decisionPage = /^http:\/\/svc\.test\/memory\/decisions\/\d+$/;
    expect(memory.map(({ type, url }) => [type, url]).toSorted()).toEqual([
      ["decision", expect.stringMatching(decisionPage)],
      ["decision", expect.stringMatching(decisionPage)],
      ["preference", "http://svc.test/memory?view=preferences"],
      ["review", `http://svc.test/assets/${id}`],
    ]);
    const found = must(group(results, "events").find(({ project }) => project === "atlas"));
    const url = new URL(must(found.url ?? undefined));
    const { events } = JSON.parse(
      await (await library.ask(`/api/v1/feed${url.search}&limit=1`, { token })).text(),
    ) as { events: { id: number; summary: string }[] };
    expect(events.map(({ id }) => String(id))).toEqual([found.id]);
    expect(results.count).toBe(results.groups.reduce((sum, { results }) => sum + results.length, 0));
  });

  test("finds projects by slug and repository, and sections of the documentation by their anchor", async () => {
    expect(group(await find("beac"), "projects").map(({ id }) => id)).toEqual(["beacon"]);
    const sections = group(await find("signing secret"), "docs");
    expect(sections[0]).toMatchObject({
      ...{ type: "section", url: "http://svc.test/docs/configuration#signing-secret" },
      title: "Configuration › Signing secret",
    });
    const page = await (
      await library.ask("/docs/configuration", { headers: { accept: "text/html" } })
    ).text();
    expect(page).toContain('id="signing-secret"');
  });

  test("every section links to an anchor that its page has", async () => {
    const { list: sections } = await library.ctx.docSections(library.ctx);
    expect(sections.length).toBeGreaterThan(200);
    const pages = new Map<string, string>();
    for (const { path } of sections) {
      const [page, anchor] = path.split("#") as [string, string?];
      if (!pages.has(page))
        pages.set(page, await (await library.ask(page, { headers: { accept: "text/html" } })).text());
      if (anchor !== undefined)
        expect([path, must(pages.get(page)).includes(`id="${anchor}"`)]).toEqual([path, true]);
    }
  });

  test("finds assets by file name, tag, and description, and corrects typos in every group", async () => {
    for (const query of ["note.txt", "chart", "soundings", "sounding", "soundngs map"])
      expect([query, group(await find(query), "assets").map(({ id }) => id)]).toEqual([
        query,
        expect.arrayContaining([id]),
      ]);
    expect(group(await find("configuraton"), "docs")[0]?.title).toContain("Configuration");
  });

  test("leaves out superseded versions, which the newest one shows", async () => {
    const first = await library.plant({ title: "Walrus in the bay" });
    await library.plant({ title: "Walrus in the bay" }, first.id);
    const limited = await library.mint(allScopes, { projects: ["atlas"] });
    for (const as of [token, limited]) expect(group(await find("walrus", as), "assets")).toHaveLength(1);
    expect((await find(first.id)).jump?.id).toBe(first.id);
  });

  test("shows the status that an asset has now", async () => {
    const planted = await library.plant({ title: "Puffin on the pier" });
    const textOf = async () => group(await find("puffin"), "assets")[0]?.text;
    expect(await textOf()).toBe("Version 1, pending");
    await library.ctx.data.atomically((writes) => writes.changeAsset(planted.id, { status: "approved" }));
    expect(await textOf()).toBe("Version 1, approved");
    await library.ctx.data.atomically((writes) => writes.changeAsset(planted.id, { status: "superseded" }));
    expect(group(await find("puffin"), "assets")).toEqual([]);
  });

  test("jumps to an issue, an asset, or a project that the query names exactly", async () => {
    for (const query of ["#118", "atlas#118", "118", "issue 118"])
      expect([query, (await find(query)).jump]).toMatchObject([
        query,
        { type: "task", id: "atlas#118", url: "http://svc.test/projects/atlas/issues/118" },
      ]);
    expect((await find("beacon#118")).jump).toBeNull();
    expect((await find(id.toLowerCase())).jump).toMatchObject({ type: "asset", title: "Map of the lagoon" });
    const { jump, groups } = await find("atlas");
    expect(jump).toMatchObject({ type: "project", url: "http://svc.test/projects/atlas" });
    expect(groups.flatMap(({ results }) => results)).not.toContainEqual(
      expect.objectContaining({ type: "project", id: "atlas" }),
    );
    for (const query of ["#119", "#0", "#99999999999", "nowhere", "01J9ZC5W8Q4T3M2N1K0H7G6F5E", "lagoon"])
      expect([query, (await find(query)).jump]).toEqual([query, null]);
  });

  test("leaves out groups that the token has no scope for", async () => {
    const query = "lagoon signing secret atlas";
    const rows: [Scope[], SearchGroupName[]][] = [
      [[], ["docs"]],
      [["feed:read"], ["projects", "docs"]],
      [["assets:read"], ["assets", "docs"]],
      [["memory:read"], ["memory", "events", "docs"]],
      [
        ["feed:read", "memory:read", "assets:read"],
        ["projects", "assets", "memory", "events", "docs"],
      ],
    ];
    for (const [scopes, names] of rows)
      expect([scopes, groupNames(await find(query, await library.mint(scopes))).toSorted()]).toEqual([
        scopes,
        names.toSorted(),
      ]);
    expect(groupNames(await find(query, null))).toEqual(["docs"]);
    for (const name of ["#118", id, "atlas"]) expect((await find(name, null)).jump).toBeNull();
    const reviews = group(await find("dark lagoon", await library.mint(["memory:read"])), "memory");
    expect(reviews[0]).toMatchObject({
      ...{ type: "review", url: `http://svc.test/memory/decisions/${must(reviews[0]).id}` },
    });
  });

  test("shows a token of one project nothing of the others", async () => {
    const limited = await library.mint(allScopes, { projects: ["atlas"] });
    const text = JSON.stringify(await find("lagoon", limited, "&limit=20"));
    expect([text.includes("ran dry"), text.includes("beacon")]).toEqual([true, false]);
    for (const query of ["#7", "beacon#7", "beacon"])
      expect([query, (await find(query, limited)).jump]).toEqual([query, null]);
  });

  test("takes any text, and a limit from 1 to 20 results per group", async () => {
    for (const query of [
      "",
      " ",
      '"',
      "a AND (",
      "*",
      "\u0000",
      "%",
      "\ud800",
      "x".repeat(20_000),
      "#",
      "😀",
    ])
      expect(
        (await library.ask(`/api/v1/search?query=${encodeURIComponent(query.toWellFormed())}`, { token }))
          .status,
      ).toBe(200);
    expect(group(await find("lagoon", token, "&limit=1"), "memory")).toHaveLength(1);
    for (const more of ["query=a&limit=0", "query=a&limit=21", "limit=3"])
      expect((await library.ask(`/api/v1/search?${more}`, { token })).status).toBe(400);
  });
});
