/** What stands beside an asset on the review desk: its task, the feedback, its run, and related decisions. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { page, type Session, signIn } from "../support/browser/site.ts";
import { event, link, must, rowsOf } from "../support/harness.ts";
import { type Library, openLibrary } from "../support/library.ts";

describe("the review desk", () => {
  let library: Library;
  let session: Session;
  beforeAll(async () => {
    library = await openLibrary("sqlite", "disk");
    await link(library.ctx.data, "beacon");
    session = await signIn(library, await library.mint(allScopes));
    const opened = { kind: "issue.opened", issue: 12 } as const;
    await library.ctx.data.append([
      event({ ...opened, project: "atlas", summary: "Issue #12 opened: Draw the bay" }),
      event({ ...opened, project: "beacon", summary: "Issue #12 opened: Paint the tower" }),
    ]);
  });
  afterAll(() => library.close());

  const read = async (id: string, { cookie } = session): Promise<string> => {
    const response = await page(library, `/assets/${id}`, cookie);
    expect(response.status).toBe(200);
    return response.text();
  };
  /** The text of the section with this heading; null without one. */
  const section = (html: string, heading: string): string | null =>
    new RegExp(`<section><h2>${heading}</h2>(.*?)</section>`, "s")
      .exec(html)?.[1]
      ?.replace(/<[^>]+>/g, " ") ?? null;
  const decide = (text: string) =>
    library.ctx.data.atomically((writes) =>
      writes.addDecision({
        ...{ project: "atlas", text, source: "cli", source_ref: null, actor: "human:mara" },
        valid_from: library.clock.now(),
      }),
    );

  test("shows the title of the asset's issue, in its own project", async () => {
    const { id } = await library.plant({ issue: 12, title: "Chart" });
    expect(section(await read(id), "Made for issue #12")).toContain("Draw the bay");
    const other = await library.plant({ issue: 12, title: "Chart", project: "beacon" });
    expect(section(await read(other.id), "Made for issue #12")).toContain("Paint the tower");
    const unknown = await library.plant({ issue: 13, title: "Chart" });
    expect(section(await read(unknown.id), "Made for issue #13")).not.toContain("Draw");
    const both = await library.plant({ issue: 12, pr: 14, title: "Chart" });
    const task = must(/<h2>Made for issue #12<\/h2>.*?<\/section>/s.exec(await read(both.id))?.[0]);
    expect([...task.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
      ...["/projects/atlas/issues/12", "https://github.com/acme/atlas/issues/12", "/projects/atlas/pulls/14"],
    ]);
    const none = await library.plant({ title: "Chart" });
    expect(await read(none.id)).not.toContain("Made for");
  });

  test("shows the note on the version before, and what else was rejected for the task, apart from the rest", async () => {
    const first = (await library.upload({ project: "atlas", title: "Map of the quay", issue: "20" })).body;
    await library.review(first.id, { decision: "rejected", note: "Too dark at night" });
    const second = (await library.upload({ project: "atlas", replaces: first.id, issue: "20" })).body;
    const sibling = (await library.upload({ project: "atlas", title: "Legend", issue: "20" })).body;
    await library.review(sibling.id, { decision: "rejected", note: "Letters are too small" });
    const stranger = (await library.upload({ project: "atlas", title: "Map of the quay", issue: "21" })).body;
    await library.review(stranger.id, { decision: "rejected", note: "Wrong quay" });
    const html = await read(second.id);
    expect(section(html, "Feedback on version 1")).toContain("Too dark at night");
    const rejected = must(section(html, "Also rejected for this task"));
    expect([rejected.includes("Letters are too small"), rejected.includes("Too dark")]).toEqual([
      true,
      false,
    ]);
    expect(section(await read(sibling.id), "Also rejected for this task")).toBeNull();
    expect(html.replace(/<details>.*?<\/details>/gs, "").includes("Wrong quay")).toBe(false);
  });

  test("keeps the verdict of a replaced version in every view of the library, and names the asset of a link in their list", async () => {
    const first = (await library.upload({ project: "atlas", title: "Map of the mole" })).body;
    await library.review(first.id, { decision: "rejected", note: "Too small" });
    const second = (await library.upload({ project: "atlas", replaces: first.id })).body;
    for (const follows of ["fixed", "latest"])
      await library.say(`/assets/${second.id}/shares`, { json: { recipient: "Ana", follows } });
    const textOf = async (path: string) =>
      (await (await page(library, path, session.cookie)).text()).replace(/<[^>]+>/g, "").replace(/\s+/g, " ");
    for (const as of ["grid", "list", "sheet"])
      expect(await textOf(`/assets?query=mole&versions=all&as=${as}`)).toMatch(/rejected replaced ?v?1/);
    const shares = await textOf("/shares");
    for (const shown of ["newest version", "version 2"])
      expect(shares).toContain(`Map of the mole, ${shown}`);
  });

  test("shows decisions that share several words with the asset, and none for a stray one", async () => {
    await decide("Lighthouses of the north are drawn in red");
    await decide("Invoices are sent to the north on Mondays");
    const { id } = await library.plant({ title: "Lighthouse of the north" });
    const decisions = must(section(await read(id), "Project decisions"));
    expect(decisions).toContain("Lighthouses of the north are drawn in red");
    expect(decisions).toMatch(/shares\s+Lighthouse → Lighthouses, north/);
    expect(decisions).not.toContain("Invoices");
    const { id: plain } = await library.plant({ title: "Zebra" });
    expect(section(await read(plain), "Project decisions")).toContain("No decision is related");
  });

  test("shows the run that made the asset, and the last brief it was given before", async () => {
    const run_id = "run-7";
    const started = { kind: "run.started", project: "atlas", issue: 12 } as const;
    await library.ctx.data.append([event({ ...started, run_id, summary: "Run 7 draws the bay" })]);
    const given = [
      [library.clock.now(), "Draw it in blue"],
      [library.clock.now() + 9_000_000, "Draw it in red"],
    ];
    for (const [at, text] of given)
      await rowsOf(
        library.url,
        `insert into briefs (project, run_id, at, hash, chars, text)
         values ('atlas', '${run_id}', ${at}, '${text}', 15, '${text}')`,
      );
    library.clock.advance(1_000_000);
    const { id } = await library.plant({ issue: 12, title: "Bay", run_id });
    const html = await read(id);
    expect(section(html, "Made by a run")).toContain("Run 7 draws the bay");
    expect(html).toContain(`href="/runs/run-7?project=atlas"`);
    expect(section(html, "Made by a run")).toMatch(/Brief it was given\s+Draw it in blue\s*$/);
  });

  test("leads to the brief of its task now if what the run was told is not recorded", async () => {
    const { id } = await library.plant({ issue: 12, title: "Breakwater" });
    const [, url] = must(/<h2>Brief<\/h2>.*?href="([^"]+)"/s.exec(await read(id)));
    const href = must(url).replaceAll("&amp;", "&");
    expect(href).toStartWith("/memory?view=brief&project=atlas&issue=12&intent=Draw+the+bay%0ABreakwater");
    const brief = await page(library, href, session.cookie);
    expect(brief.status).toBe(200);
    expect(await brief.text()).toContain("Brief for atlas, issue #12");
    const narrow = await signIn(library, await library.mint(["assets:read"]));
    expect(await read(id, narrow)).not.toContain("<h2>Brief</h2>");
  });

  test("finds the run of an asset without a run_id by its creator, task and time", async () => {
    const fields = { project: "atlas", issue: 30, actor: "agent:codex" } as const;
    const plant = (text: object) =>
      library.plant({ title: "Pier", issue: 30, created_by: "agent:codex", ...text });
    const before = await plant({});
    library.clock.advance(1_000_000);
    await library.ctx.data.append([event({ ...fields, kind: "run.started", summary: "Codex draws piers" })]);
    library.clock.advance(1_000_000);
    const during = await plant({});
    const other = await plant({ created_by: "agent:claude" });
    library.clock.advance(1_000_000);
    await library.ctx.data.append([event({ ...fields, kind: "run.finished", summary: "Codex drew piers" })]);
    library.clock.advance(1_000_000);
    const after = await plant({});
    const found = await Promise.all(
      [before, during, other, after].map(async ({ id }) => section(await read(id), "Made by a run") !== null),
    );
    expect(found).toEqual([false, true, false, false]);
  });

  test("finds the run of an asset uploaded with a token without an actor, and the run lists it", async () => {
    const fields = { project: "atlas", issue: 31, actor: "bot:ci" } as const;
    await library.ctx.data.append([event({ ...fields, kind: "run.started", summary: "CI draws piers" })]);
    library.clock.advance(1_000_000);
    const { id } = await library.plant({ title: "Pier", issue: 31, created_by: "token:ci" });
    await library.ctx.data.append([event({ ...fields, kind: "run.finished", summary: "CI drew piers" })]);
    const token = await library.mint(["assets:read", "feed:read"]);
    const body = await (await library.ask(`/api/v1/assets/${id}/run`, { token })).json();
    expect(body).toMatchObject({ summary: "CI drew piers", assets_made: [{ id }] });
  });

  test("without memory:read or feed:read says what is missing, and still shows the feedback", async () => {
    const narrow = await signIn(library, await library.mint(["assets:read"]));
    const { id } = await library.plant({ issue: 12, title: "Lighthouse" });
    const html = await read(id, narrow);
    expect(section(html, "Made for issue #12")).not.toContain("Draw the bay");
    expect(section(html, "Project decisions")).toContain("memory:read");
  });
});
