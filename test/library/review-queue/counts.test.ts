/** A variant set is one thing that waits: every page, list, and message counts and shows it so. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { todayText } from "../../../cli/commands/feed/today.ts";
import { drawTop } from "../../../cli/top/screen.ts";
import { loadTop } from "../../../cli/top/state.ts";
import { adminCaller } from "../../../src/core/auth/caller.ts";
import { allScopes } from "../../../src/core/auth/scopes.ts";
import { secondMicros } from "../../../src/core/lib/time.ts";
import { loadContent } from "../../../src/integrations/email/content.ts";
import { textBody } from "../../../src/integrations/email/words.ts";
import type { AssetRow } from "../../../src/library/rows.ts";
import type { Inbox } from "../../../src/overview/inbox/schema.ts";
import type { SearchResults } from "../../../src/overview/search/schema.ts";
import type { Today } from "../../../src/overview/today/schema.ts";
import { mcpRequest } from "../../support/agents/mcp-clients.ts";
import { page, signIn } from "../../support/browser/site.ts";
import { dialects, event, must } from "../../support/harness.ts";
import { type Library, openLibrary } from "../../support/library.ts";
import { briefOf, sectionOf } from "../../support/memory/brief.ts";
import { plantSet } from "../../support/review/variant-sets.ts";

const setUrl = "/projects/atlas/sets/hero%20image";

describe.each(dialects)("what waits on %s: a set of 40 variants, and two assets", (dialect) => {
  let library: Library;
  let token = "";
  let cookie = "";
  let variants: AssetRow[] = [];
  let single: AssetRow;
  beforeAll(async () => {
    library = await openLibrary(dialect, "disk");
    token = await library.mint(allScopes, { name: "ana" });
    ({ cookie } = await signIn(library, token));
    single = await library.plant({ title: "Tides", issue: 7 });
    library.clock.advance(secondMicros);
    variants = await plantSet(library, "hero image", 40, { issue: 7, run_id: "r1" });
    library.clock.advance(secondMicros);
    await library.plant({ title: "Berths" });
    const approved = await library.plant({ title: "Gates" });
    await library.review(approved.id, { decision: "approved" });
  });
  afterAll(() => library.close());

  const get = async <T>(path: string): Promise<T> => (await library.say<T>(path, { token })).body;
  const html = async (path: string): Promise<string> =>
    (await (await page(library, path, cookie)).text()).replace(/<!--.*?-->/g, "");
  const linksTo = (text: string, path: string) => text.split(`href="${path}"`).length - 1;

  test("Today counts three, and shows the set as one item that opens its page", async () => {
    const today = await get<Today>("/today");
    const [queue] = must(today.reviews).queues;
    expect([today.reviews?.count, queue?.count, queue?.oldest.length]).toEqual([3, 3, 3]);
    expect(queue?.sets).toMatchObject([{ set: "hero image", count: 40, url: `http://svc.test${setUrl}` }]);
    expect(queue?.sets[0]?.variants.map(({ id }) => id)).toEqual(variants.slice(0, 4).map(({ id }) => id));
    const text = await html("/");
    expect(linksTo(text, setUrl)).toBe(1);
    expect(text).toMatch(/id="inbox-count"[^>]*data-count="3"/);
  });

  test("the inbox, the project, the library and the desk count three", async () => {
    const inbox = await get<Inbox>("/inbox");
    expect([inbox.count, inbox.items.map(({ title }) => title)]).toEqual([
      3,
      ["Berths", "hero image", "Tides"],
    ]);
    const project = await html("/projects/atlas");
    expect([linksTo(project, setUrl), project.includes("Review 3 pending")]).toEqual([1, true]);
    expect(/40 variants: +40 +pending/.test(project.replace(/<[^>]+>|\s+/g, " "))).toBe(true);
    const says = async (path: string, text: string) =>
      expect([path, (await html(path)).includes(text)]).toEqual([path, true]);
    await says("/assets?status=pending&project=atlas", "Review 3 pending");
    await says(`/assets/${single.id}?project=atlas`, "3 of 3 pending");
    await says(`/assets/${must(variants[9]).id}?project=atlas`, "2 of 3 pending");
    // Within the set, one after the other.
    await says(`/assets/${must(variants[9]).id}?project=atlas&set=hero%20image`, "31 of 40 pending");
  });

  test("the pages of the task and the run, and the feed, show the set once", async () => {
    const ofRun = { project: "atlas", issue: 7, run_id: "r1" };
    await library.ctx.data.append([event({ ...ofRun, summary: "Draw" })]);
    for (const path of ["/projects/atlas/issues/7", "/runs/r1?project=atlas"]) {
      const text = await html(path);
      expect([path, linksTo(text, setUrl)]).toEqual([path, path.startsWith("/projects") ? 3 : 1]);
      expect(linksTo(text, `/assets/${must(variants[5]).id}`)).toBe(0);
    }
    const task = await html("/projects/atlas/issues/7");
    expect(task).toContain("1 version and 1 variant set, 2 waiting for review.");
    expect(task.split(">hero image: 40 variants<").length - 1).toBe(1);
    expect(task.split('class="event"').length - 1).toBe(2);
    const feed = await html("/feed");
    expect([feed.includes(">34 more<"), linksTo(feed, setUrl)]).toEqual([true, 1]);
  });

  test("svc today, svc top, digests by email, briefs, prompts and the search say it once", async () => {
    const today = await get<Today>("/today");
    expect(todayText(today as Parameters<typeof todayText>[0], Date.now())).toMatch(
      /Waiting for a reviewer like you \(3\)/,
    );
    const api = {
      GET: async (path: string, { params = {} as { query?: object } } = {}) => {
        const query = new URLSearchParams(Object.entries(params.query ?? {}));
        return { data: await get(`${path}?${query}`), response: new Response() };
      },
    };
    const top = await loadTop({ api } as never, library.clock.now() / 1_000);
    const options = { width: 100, height: 40, nowMs: 0, place: "here", problem: null, isColored: false };
    const screen = drawTop(top, { ...options, view: "all" }).join("\n");
    expect(screen).toContain("3 to review");
    expect(screen).toContain("hero image: 40 variants to pick from");
    const now = library.clock.now();
    const content = await loadContent(library.ctx, adminCaller, {
      ...{ project: null, period: "daily", from: 0, to: now },
    });
    const mail = textBody({ content, siteUrl: "http://svc.test", unsubscribe: "", now });
    expect(mail).toContain("Waiting for a reviewer like you (3)");
    expect(mail).toContain(`- hero image: 40 variants to pick from, by tester\n  atlas`);
    const open = sectionOf((await briefOf(library.ctx)).text, "Open reviews");

    expect(open.match(/- 20/g)).toHaveLength(3);
    expect(open).toContain("set of 40 variants, by token:tester: hero image");
    const asked = mcpRequest("older", "prompts/get", { name: "show_reviews", arguments: {} });
    const prompt = await (await library.ask("/mcp", { ...asked, token })).text();
    expect(prompt.match(/\\n- /g)).toHaveLength(3);
    expect(prompt).toContain(`of a set of 40 variants, http://svc.test${setUrl}`);
    const { groups } = await get<SearchResults>("/search?query=hero");
    const found = must(groups.find(({ name }) => name === "assets")).results;
    expect(found.map(({ type, title, url }) => [type, title, url])).toEqual([
      ["set", "hero image", `http://svc.test${setUrl}`],
    ]);
  });
});
