/** What pages show, to whom, and how much they weigh. */
import { describe, expect, test } from "bun:test";
import { fillDemo } from "../../db/demo.ts";
import { entries } from "../../src/api/docs/contents.ts";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { secondMicros } from "../../src/core/lib/time.ts";
import { page, type Session, signIn } from "../support/browser/site.ts";
import { event, link, must, openApp, type TestApp } from "../support/harness.ts";
import { openLibrary } from "../support/library.ts";

describe("a page", () => {
  test("of a project outside the token's limits is not found, and its events, assets and numbers are hidden", async () => {
    await using library = await openLibrary("sqlite", "disk");
    await link(library.ctx.data, "beacon");
    await library.ctx.data.atomically((writes) =>
      writes.append([event({ project: "beacon", summary: "Secret of beacon" })]),
    );
    const hidden = await library.upload({ project: "beacon", title: "Hidden asset" });
    const { cookie } = await signIn(library, await library.mint(allScopes, { projects: ["atlas"] }));
    for (const path of [
      "/projects/beacon",
      "/projects/beacon/usage.csv",
      `/assets/${hidden.body.id}`,
      `/assets?reviewed=${hidden.body.id}`,
    ])
      expect((await page(library, path, cookie)).status).toBe(404);
    for (const path of ["/", "/feed", "/projects", "/assets", "/web/feed-rows"]) {
      const html = await (await page(library, path, cookie)).text();
      expect([path, /beacon|Hidden/.test(html)]).toEqual([path, false]);
    }
  });

  test("of the feed is rendered once per set of scopes, and never shown to others or when it is stale", async () => {
    await using app = await openApp("sqlite");
    await link(app.ctx.data, "atlas");
    const all = await signIn(app, await app.mint(["feed:read"], { name: "all" }));
    const some = await signIn(app, await app.mint(["feed:read"], { name: "some", projects: ["beacon"] }));
    const read = async ({ cookie }: Session) => (await page(app, "/feed", cookie)).text();
    const append = (summary: string) =>
      app.ctx.data.atomically((writes) => writes.append([event({ project: "atlas", summary })]));
    await append("Run 1 of atlas");
    const first = await read(all);
    expect(first).toContain("Run 1 of atlas");
    expect(await read(all)).toBe(first);
    expect(await read(some)).not.toContain("atlas");
    const other = await signIn(app, await app.mint(["assets:read"], { name: "other" }));
    expect((await page(app, "/feed", other.cookie)).status).toBe(403);
    const also = await signIn(app, await app.mint(["feed:read"], { name: "also" }));
    const csrfIn = (html: string) => must(/name="csrf" content="([^"]+)"/.exec(html)?.[1]);
    const [theirs, again] = [await read(also), await read(all)];
    expect([
      theirs.includes(">also<"),
      theirs.includes(">all<"),
      csrfIn(theirs) === csrfIn(first),
      again,
    ]).toEqual([true, false, false, first]);
    const nothing = async ({ cookie }: Session) =>
      (await page(app, "/feed?actor=agent:nobody", cookie)).text();
    expect(await nothing(all)).toContain('name="project" value="atlas"');
    expect(await nothing(some)).not.toContain("atlas");
    await append("Run 2 of atlas");
    expect(await read(all)).toContain("Run 2 of atlas");
    await link(app.ctx.data, "coral");
    app.clock.advance(6 * secondMicros);
    expect(await read(all)).toContain('name="project" value="coral"');
  });

  test("shows the words of others as words, and links to https alone", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>&lt;`;
    await library.ctx.data.atomically(async (writes) => {
      await writes.append([
        event({
          project: "atlas",
          summary: evil,
          actor: `agent:${evil.replaceAll(" ", "_")}`,
          model: evil,
          url: "https://a.example/?q=<b>",
        }),
      ]);
      await writes.append([
        event({ project: "atlas", url: "javascript:alert(1)" }),
        event({ project: "atlas", url: "http://a.example/" }),
      ]);
      const decision = {
        project: "atlas",
        text: evil,
        source: evil.slice(0, 60),
        source_ref: "javascript:alert(1)",
        actor: "human:eve",
      };
      await writes.addDecision({ ...decision, valid_from: library.clock.now() });
    });
    const { body } = await library.upload(
      { project: "atlas", title: evil, description: evil, tags: evil.replaceAll(",", "") },
      new File(["x"], evil),
    );
    await library.review(body.id, { decision: "rejected", note: evil });
    const { cookie } = await signIn(library, await library.mint(allScopes));
    for (const path of [
      "/",
      "/feed",
      "/projects/atlas",
      "/assets",
      "/assets?as=list",
      `/assets/${body.id}`,
      ...["/memory", "/memory/decisions/1", `/memory?query=${encodeURIComponent(evil)}`],
      `/assets?project=${encodeURIComponent(evil)}`,
      `/feed?actor=${encodeURIComponent(evil)}`,
    ]) {
      const html = await (await page(library, path, cookie)).text();
      expect([path, /<img src=x|<script>|href="(javascript|http:\/\/a\.example)/.test(html)]).toEqual([
        path,
        false,
      ]);
    }
    const csv = await (await page(library, "/projects/atlas/usage.csv", cookie)).text();
    expect(csv).toStartWith("day,lane,model,");
  });

  test("of a project shows what a decision replaced, and gives a model one color in every chart", async () => {
    await using app = await openApp("sqlite");
    await link(app.ctx.data, "atlas");
    const by = async (text: string, supersedes?: number) =>
      app.ctx.data.atomically((writes) =>
        writes.addDecision({
          ...{
            project: "atlas",
            text,
            source: "cli",
            source_ref: null,
            actor: "human:zoe",
            valid_from: app.clock.now(),
          },
          ...(supersedes !== undefined && { supersedes }),
        }),
      );
    await by("Tiles are square", must(await by("Tiles are <round>")).id);
    const used = (model: string, cost_equiv: number, tokens_in: number) =>
      event({ project: "atlas", kind: "step.usage", model, cost_equiv, tokens_in });
    await app.ctx.data.atomically((writes) => writes.append([used("dear", 9, 10), used("cheap", 1, 90_000)]));
    const { cookie } = await signIn(app, await app.mint(["feed:read"]));
    const html = await (await page(app, "/projects/atlas", cookie)).text();
    expect(html).toContain("Tiles are square");
    expect(html).toContain("<summary>Replaced an earlier decision from <time ");
    expect(html).toContain("<del>Tiles are &lt;round></del>");
    const colours = [
      ...html.matchAll(/<rect width="10" height="10" class="(c\d)"><\/rect><\/svg> (\w+)/g),
    ].map(([, fill, name]) => [name, fill]);
    expect(colours).toEqual([
      ["dear", "c1"],
      ["cheap", "c2"],
      ["dear", "c1"],
      ["cheap", "c2"],
    ]);
  });

  test("of assets says how to link a project while there is none, and offers no upload", async () => {
    await using app = await openApp("sqlite");
    const { cookie } = await signIn(app, await app.mint(allScopes));
    const html = await (await page(app, "/assets", cookie)).text();
    expect([
      html.includes("Assets belong to a project. Link one with"),
      html.includes("data-upload"),
    ]).toEqual([true, false]);
  });

  test("of CSV contains no spreadsheet formulas", async () => {
    await using app = await openApp("sqlite");
    await link(app.ctx.data, "atlas");
    const bad = ['=HYPERLINK("http://evil")', "+1", "-1", "@SUM(A1)", 'a"b'];
    await app.ctx.data.atomically((writes) =>
      writes.append(
        bad.map((model) => event({ project: "atlas", kind: "run.finished", model, tokens_in: 1 })),
      ),
    );
    const { cookie } = await signIn(app, await app.mint(["feed:read"]));
    const text = await (await page(app, "/projects/atlas/usage.csv", cookie)).text();
    const models = text
      .split("\r\n")
      .slice(1, -1)
      .map((row) => must(/^"[^"]*",,("(?:[^"]|"")*")/.exec(row)?.[1]));
    expect(models.toSorted()).toEqual(
      [`"'+1"`, `"'-1"`, `"'=HYPERLINK(""http://evil"")"`, `"'@SUM(A1)"`, `"a""b"`].toSorted(),
    );
  });
});

test("pages show an event of a kind that a newer version of svc wrote, under the name of the kind", async () => {
  await using app = await openApp("sqlite");
  await link(app.ctx.data, "atlas");
  const run = { project: "atlas", run_id: "one" };
  const newer = {
    ...event({ ...run, issue: 7, summary: "From above" }),
    kind: "moon.rose" as "run.started",
  };
  await app.ctx.data.append([event({ ...run, kind: "run.started" }), newer]);
  const token = await app.mint(allScopes);
  const { cookie } = await signIn(app, token);
  for (const path of ["/feed?view=events", "/runs/one?project=atlas"]) {
    const response = await page(app, path, cookie);
    expect([path, response.status, (await response.text()).includes("From above")]).toEqual([
      path,
      200,
      true,
    ]);
  }
  expect(await (await page(app, "/feed?view=events", cookie)).text()).toContain("moon.rose");
  for (const path of ["/feed", "/projects/atlas", "/web/feed-rows"])
    expect([path, (await page(app, path, cookie)).status]).toEqual([path, 200]);
  expect((await app.ask("/api/v1/feed", { token })).status).toBe(200);
});

describe("the weight of a page", () => {
  /** Compressed size of all that a browser loads: the page, its style, its scripts and their imports. */
  async function weightOf(app: TestApp, path: string, cookie: string): Promise<number> {
    const load = async (address: string): Promise<string> => {
      const response = await app.ask(address, {
        headers: { cookie, accept: "text/html", "accept-encoding": "gzip" },
      });
      expect([address, response.status]).toEqual([address, 200]);
      const packed = await response.bytes();
      sum += packed.length;
      return new TextDecoder().decode(
        response.headers.get("content-encoding") === "gzip" ? Bun.gunzipSync(packed) : packed,
      );
    };
    let sum = 0;
    const html = await load(path);
    const wanted = [...html.matchAll(/(?:<script[^>]* src|<link[^>]*stylesheet"[^>]* href)="([^"]+)"/g)].map(
      (match) => must(match[1]),
    );
    const found = new Set<string>();
    for (let address = wanted.shift(); address; address = wanted.shift()) {
      if (found.has(address)) continue;
      found.add(address);
      const text = await load(address);
      if (address.endsWith(".js"))
        wanted.push(
          ...[...text.matchAll(/(?:from|import)"\.\/(\w+\.js)"/g)].map(
            (match) => address?.replace(/[^/]+$/, must(match[1])) as string,
          ),
        );
    }
    const icons = 2;
    expect([path, found.size > 0, found.size + icons <= 12]).toEqual([path, true, true]);
    return sum;
  }

  const [most, mostOfDesk] = [80_000, 90_000];
  test(`is at most ${most} bytes, that of the desk ${mostOfDesk}, in 12 files, with a month of work in it`, async () => {
    await using library = await openLibrary("sqlite", "disk");
    await fillDemo(library.ctx.data, { now: library.clock.now(), lanes: library.ctx.config.lanes });
    const { cookie } = await signIn(library, await library.mint(allScopes));
    const first = await library.upload(
      { project: "harbor", title: "Berth map" },
      new File(["<h1>One</h1>\n".repeat(900)], "map.html"),
    );
    const second = await library.upload(
      { project: "harbor", replaces: first.body.id },
      new File(["<h1>Two</h1>\n".repeat(900)], "map.html"),
    );
    for (const path of [
      "/",
      "/feed",
      "/tasks",
      "/tasks?as=table",
      "/projects",
      "/projects/harbor",
      "/assets",
      "/assets?as=list",
      "/usage?by=task",
      "/methodology",
      "/search?query=harbor",
      ...entries.map(({ path }) => path),
      "/sign-in",
    ])
      expect([path, (await weightOf(library, path, cookie)) <= most]).toEqual([path, true]);
    for (const path of [
      `/assets/${second.body.id}`,
      `/assets/${second.body.id}?with=${first.body.id}&mode=text`,
    ])
      expect([path, (await weightOf(library, path, cookie)) <= mostOfDesk]).toEqual([path, true]);
  });
});
