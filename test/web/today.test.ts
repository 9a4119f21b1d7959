/** Today, the home page. */
import { describe, expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { staticUrl } from "../../src/web/static-files.ts";
import { page, post, signIn } from "../support/browser/site.ts";
import { event, link, must, openApp, type TestApp } from "../support/harness.ts";
import { openLibrary } from "../support/library.ts";

const htmlOf = async (app: TestApp, cookie: string) => (await page(app, "/", cookie)).text();
const sectionOf = (html: string, id: string): string =>
  must(new RegExp(`<(section|form) id="today-${id}"[\\s\\S]*?</\\1>`).exec(html))[0];

describe("the home page", () => {
  test("leads links from when it was the feed there, with their query", async () => {
    await using app = await openApp("sqlite");
    const queries = [
      "?project=atlas&kind=run.failed%2Cpr.opened",
      "?before=2026-01-02T03:04:05.123456Z",
      "?kind=run.failed&projekt=atlas",
    ];
    for (const query of queries) {
      const response = await page(app, `/${query}`);
      expect([response.status, response.headers.get("location")]).toEqual([301, `/feed${query}`]);
    }
    expect((await page(app, "/?projekt=atlas")).status).toBe(401); // its own page, which needs a session
  });

  test("links each pending asset to the desk, and counts what needs you in the tab's title and icon", async () => {
    await using library = await openLibrary("sqlite", "disk");
    const { cookie } = await signIn(library, await library.mint(allScopes));
    const tabOf = (html: string) => [
      /<title>(.*?)<\/title>/.exec(html)?.[1],
      /<link rel="icon" href="(.*?)"/.exec(html)?.[1],
    ];
    await library.ctx.data.append([event({ project: "atlas" })]);
    expect(tabOf(await htmlOf(library, cookie))).toEqual(["Today · svc", staticUrl("icon.svg")]);
    const { id } = await library.plant({ project: "atlas", title: "Berth map" });
    library.clock.advance(1_000_000);
    const later = await library.plant({ project: "atlas", title: "Tides" });
    await library.ctx.data.append([event({ project: "atlas", kind: "run.failed", summary: "No berths" })]);
    const html = await htmlOf(library, cookie);
    expect(tabOf(html)).toEqual(["(3) Today · svc", staticUrl("icon-3.svg")]);
    expect(sectionOf(html, "needs")).toContain(`<a href="/assets/${id}?project=atlas" data-item`);
    const desk = await (await page(library, `/assets/${id}?project=atlas&order=oldest`, cookie)).text();
    expect(desk).toContain("1 of 2 pending");
    expect(desk).toMatch(
      new RegExp(`href="/assets/${later.id}\\?project=atlas&amp;order=oldest" rel="next"`),
    );
    expect(sectionOf(html, "needs")).toContain("No berths");
    await library.ctx.data.append(
      Array.from({ length: 120 }, (_, n) =>
        event({ project: "atlas", kind: "run.failed", summary: `Cause ${n}` }),
      ),
    );
    expect(tabOf(await htmlOf(library, cookie))).toEqual(["(99+) Today · svc", staticUrl("icon-more.svg")]);
  });

  test("lists the first 25 items, opens any that its URL names, and lists all on request", async () => {
    await using library = await openLibrary("sqlite", "disk");
    await link(library.ctx.data, "atlas");
    const { cookie } = await signIn(library, await library.mint(allScopes));
    const { id } = await library.plant({ project: "atlas", title: "The first map" });
    for (let number = 0; number < 29; number++) {
      library.clock.advance(1_000_000);
      await library.plant({ project: "atlas", title: `Map ${number}` });
    }
    const itemsOf = async (path: string) => {
      const html = await (await page(library, path, cookie)).text();
      const needs = sectionOf(html, "needs");
      return {
        said: needs.includes("25 of 30 are listed."),
        opened: /data-item-id="([^"]+)"/.exec(html.slice(html.indexOf("today-opened")))?.[1],
        titled: html.slice(html.indexOf("today-opened")).includes("The first map"),
      };
    };
    const named = { said: true, opened: `review-${id}`, titled: true };
    expect(await itemsOf("/")).toMatchObject({ said: true, titled: false });
    expect(await itemsOf(`/?item=review-${id}`)).toMatchObject(named);
    expect(await itemsOf("/?all")).toMatchObject({ said: false });
    expect(sectionOf(await (await page(library, "/?all", cookie)).text(), "needs")).toContain(id);
  });

  test("marks as read what it showed, and only with the token of its form", async () => {
    await using app = await openApp("sqlite");
    await link(app.ctx.data, "atlas");
    const finish = (summary: string) =>
      app.ctx.data.append([event({ project: "atlas", kind: "run.finished", run_id: summary, summary })]);
    await finish("Seen");
    const { cookie, csrf } = await signIn(app, await app.mint(["feed:read"]));
    const html = await htmlOf(app, cookie);
    const until = must(/name="until" value="([^"]+)"/.exec(html)?.[1]);
    await finish("Later");
    expect((await post(app, "/today/read", { until }, { cookie })).status).toBe(403);
    expect(sectionOf(await htmlOf(app, cookie), "happened")).toContain("Seen");
    const marked = await post(app, "/today/read", { until, csrf }, { cookie });
    expect([marked.status, marked.headers.get("location")]).toEqual([303, "/"]);
    const finished = sectionOf(await htmlOf(app, cookie), "happened");
    expect([finished.includes("Seen"), finished.includes("Later")]).toEqual([false, true]);
  });

  test("names the newest decision by its headline, in a sentence that goes on", async () => {
    await using app = await openApp("sqlite");
    await link(app.ctx.data, "atlas");
    const long = `${"Berths are blue. ".repeat(8)}Never green.`;
    const { cookie, csrf } = await signIn(app, await app.mint(allScopes));
    await post(app, "/memory/decisions", { project: "atlas", text: long, csrf }, { cookie });
    const happened = sectionOf(await htmlOf(app, cookie), "happened");
    expect(happened).toContain("<bdi>Berths are blue</bdi></a>, by ");
  });

  test("offers readers without a session no button, and the demo neither", async () => {
    for (const env of [{ SVC_PUBLIC_READ: "1" }, { SVC_DATA_MODE: "mock" }]) {
      await using app = await openApp("sqlite", env);
      await app.ctx.data.append([event({ project: null })]);
      const html = await htmlOf(app, "");
      expect([html.includes("Nothing needs you."), html.includes("Mark all as read")]).toEqual([true, false]);
    }
  });
});
