/** The memory page and the page of a decision, without a browser and without scripts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import type { DecisionDetail } from "../../src/overview/memory/decision-schema.ts";
import { page, post, type Session, signIn } from "../support/browser/site.ts";
import { link, must } from "../support/harness.ts";
import { type Library, openLibrary } from "../support/library.ts";

describe("memory on the site", () => {
  let library: Library;
  let session: Session;
  let token: string;
  beforeAll(async () => {
    library = await openLibrary("sqlite", "disk");
    await link(library.ctx.data, "beacon");
    token = await library.mint(allScopes);
    session = await signIn(library, token);
  });
  afterAll(() => library.close());

  const read = async (path: string, { cookie } = session): Promise<string> => {
    const response = await page(library, path, cookie);
    expect([path, response.status]).toEqual([path, 200]);
    return response.text();
  };
  const send = (path: string, fields: Record<string, string>, { csrf, cookie } = session) =>
    post(library, path, { csrf, ...fields }, { cookie, accept: "text/html" });
  const record = async (text: string, project = "atlas"): Promise<string> => {
    library.clock.advance(60_000_000);
    const response = await send("/memory/decisions", { project, text });
    expect(response.status).toBe(303);
    return must(
      /^(\/memory\/decisions\/\d+)\?done=recorded$/.exec(response.headers.get("location") ?? "")?.[1],
    );
  };
  const detailOf = async (path: string) => {
    const response = await library.ask(path.replace("/memory", "/api/v1"), { token });
    return (await response.json()) as DecisionDetail;
  };
  const listed = (html: string) =>
    [...html.matchAll(/<p class="decision">([^<]*)/g)].map(([, text]) => must(text));

  test("a decision is recorded by the form, as its sender, and leads to its page", async () => {
    const path = await record("Maps are drawn for paper");
    expect(await detailOf(path)).toMatchObject({ project: "atlas", source: "web", valid_until: null });
    expect(await read(`${path}?done=recorded`)).toContain("Recorded.");
    const again = await send("/memory/decisions", { project: "atlas", text: "Maps are drawn for paper" });
    expect(again.headers.get("location")).toBe(`${path}?done=known`);
  });

  test("the page of a decision shows what says the opposite, with a button that retires it", async () => {
    const older = await record("Piers are drawn in red.");
    const newer = await record("Draw piers in blue.");
    const html = await read(`${newer}?done=recorded`);
    expect(html).toContain("(<q>red</q>, not <q>blue</q>)");
    expect(html).toContain(`action="${older}/retire"`);
    expect(await read(older)).toContain("The newer decision");
    expect((await send(`${older}/retire`, {})).status).toBe(303);
    expect(await read(newer)).not.toContain("says the opposite");
  });

  test("a form that is refused shows why, and keeps what was typed", async () => {
    const blank = await send("/memory/decisions", {
      project: "beacon",
      text: "\u200b",
      source_ref: "acme/b#7",
    });
    const html = await blank.text();
    expect([blank.status, html.includes("is blank"), html.includes('value="acme/b#7"')]).toEqual([
      400,
      true,
      true,
    ]);
    expect(html).toContain('<option value="beacon" selected');
    const path = await record("Quays are blue");
    await send(`${path}/retire`, {});
    const late = await send(`${path}/supersede`, { project: "atlas", text: "Quays are green" });
    const text = await late.text();
    expect([late.status, /is not a current decision.*Quays are green/s.test(text)]).toEqual([409, true]);
  });

  test("replacing and retiring end a decision, and its page says how", async () => {
    const first = await record("Buoys are red");
    const replaced = await send(`${first}/supersede`, { project: "atlas", text: "Buoys are orange" });
    const second = must(replaced.headers.get("location")?.replace("?done=recorded", ""));
    const id = (path: string) => path.split("/").at(-1);
    const pages = [await read(first), await read(second)].map((html) => html.replace(/<[^>]+>/g, ""));
    expect(pages[0]).toContain(`Replaced by decision ${id(second)}`);
    expect(pages[0]).not.toContain("Retire without a replacement");
    expect(pages[1]).toContain(`Replaced decision ${id(first)}`);
    const retired = await send(`${second}/retire`, {});
    expect(retired.headers.get("location")).toBe(`${second}?done=retired`);
    expect((await read(second)).replace(/<[^>]+>/g, "")).toContain("without a replacement.");
    expect((await detailOf(second)).valid_until).not.toBeNull();
  });

  test("forms write nothing without memory:write, and nothing from elsewhere", async () => {
    const reader = await signIn(library, await library.mint(["memory:read", "feed:read"]));
    const path = await record("Piers have numbers");
    for (const html of [await read("/memory", reader), await read(path, reader)]) {
      expect(html).toContain("memory:write");
      expect(html).not.toMatch(/action="\/memory\/decisions/);
    }
    const fields = { project: "atlas", text: "Piers have names" };
    const refused = [
      await send("/memory/decisions", fields, reader),
      await send(`${path}/supersede`, fields, reader),
      await send(`${path}/retire`, {}, reader),
      await post(library, `${path}/retire`, { csrf: "wrong" }, { cookie: session.cookie }),
      await post(
        library,
        `${path}/retire`,
        { csrf: session.csrf },
        { cookie: session.cookie, origin: "https://evil.example" },
      ),
    ];
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect((await detailOf(path)).valid_until).toBeNull();
  });

  test("the list is filtered by project, status and day, and goes on by cursor", async () => {
    await link(library.ctx.data, "coral");
    for (let number = 1; number <= 32; number++) await record(`Reef ${number}`, "coral");
    const first = await read("/memory?project=coral");
    expect(listed(first)).toEqual(Array.from({ length: 30 }, (_, at) => `Reef ${32 - at}`));
    const older = must(/href="([^"]+)" rel="next"/.exec(first)?.[1]).replaceAll("&amp;", "&");
    expect(listed(await read(older))).toEqual(["Reef 2", "Reef 1"]);
    expect(listed(await read("/memory?project=beacon"))).toEqual([]);
    expect(listed(await read("/memory?status=superseded"))).toContain("Buoys are red");
    expect(listed(await read("/memory?as_of=2020-01-01"))).toEqual([]);
    expect((await page(library, "/memory?as_of=yesterday", session.cookie)).status).toBe(400);
  });

  test("a search shows for each match the words that matched and what it was ranked by", async () => {
    await record("Soundings are rounded to decimeters");
    await record("Depths are in meters, soundings too");
    const html = await read("/memory?query=rounding+soundings");
    const text = html.replace(/<[^>]+>/g, "");
    expect(listed(html)).toEqual([
      "Soundings are rounded to decimeters",
      "Depths are in meters, soundings too",
    ]);
    expect(text).toMatch(/rounding → rounded ?[Ss]oundings ?· 100% of the query · relevance \d/);
    expect(text).toMatch(/Matched [Ss]oundings ?· [1-9]\d% of the query/);
    expect(await read("/memory?query=zzzz")).toContain("No matches.");
  });

  test("the page of a rejection names the version it came from", async () => {
    const { body } = await library.upload({ project: "atlas", title: "Chart of the bay", issue: "12" });
    await library.review(body.id, { decision: "rejected", note: "Too dark at night" });
    const html = await read("/memory?project=atlas");
    const path = must(/Too dark at night<\/p>.*?href="(\/memory\/decisions\/\d+)"/s.exec(html)?.[1]);
    const decision = await read(path);
    expect(decision).toContain(`<a href="/assets/${body.id}">Chart of the bay, version 1</a>`);
    expect(decision).toContain("Rejected by");
  });

  test("a rejection on the desk leads to its decision and to the brief that begins with it", async () => {
    const { id } = (await library.upload({ project: "atlas", title: "Chart", issue: "31" })).body;
    await library.review(id, { decision: "rejected", note: "The pier is missing" });
    const [, decision = "", brief = ""] = must(
      /This is <a href="([^"]+)">decision \d+<\/a>. The <a href="([^"]+)">/.exec(await read(`/assets/${id}`)),
    );
    expect(await read(decision)).toContain("The pier is missing");
    const html = await read(brief.replaceAll("&amp;", "&"));
    expect(html).toMatch(
      /<pre class="brief" id="brief-text" tabindex="0"># Brief for atlas [\s\S]*issue 31, not replaced yet: [^\n]*The pier is missing/,
    );
    expect(await read("/memory?view=brief&project=beacon")).not.toContain("The pier is missing");
  });

  test("the tab of guidance is there once there is a model, and before on its own page", async () => {
    const hasTab = async (path: string) => (await read(path)).includes(">Guidance</a>");
    expect([await hasTab("/memory"), await hasTab("/memory?view=guidance")]).toEqual([false, true]);
    const counts = { guidance_count: 0, skill_count: 0, onboarded_at: 1, refreshed_at: null };
    await library.ctx.data.atomically((writes) =>
      writes.saveModel({ id: "m", provider: "p", lanes: [], ...counts }),
    );
    expect(await hasTab("/memory")).toBe(true);
  });

  test("a session of another project sees none of it", async () => {
    const other = await signIn(library, await library.mint(allScopes, { projects: ["beacon"] }));
    const path = await record("Secret of atlas");
    expect((await page(library, path, other.cookie)).status).toBe(404);
    expect((await page(library, "/memory?project=atlas", other.cookie)).status).toBe(404);
    for (const url of ["/memory?status=all", "/memory?query=secret", "/memory?view=digests"])
      expect([url, (await read(url, other)).includes("Secret of atlas")]).toEqual([url, false]);
  });
});
