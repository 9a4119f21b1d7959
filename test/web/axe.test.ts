/** Accessibility: axe finds no violation on any page, light and dark, narrow and wide. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { chapters, start } from "../../src/docs/contents.ts";
import { browserPath, openBrowser, openBrowserSession, signIn } from "../support/browser.ts";
import { must } from "../support/harness.ts";
import { openScreenshotServer, type ScreenshotServer } from "../support/screenshot-server.ts";

/** Half the size of `axe.source`, which each page has to parse. */
const axe = await Bun.file(Bun.resolveSync("axe-core/axe.min.js", import.meta.dir)).text();

let browser: Browser;
let gallery: ScreenshotServer;
beforeAll(async () => {
  if (!browserPath) return;
  browser = await openBrowser();
  gallery = await openScreenshotServer();
});
afterAll(async () => {
  await gallery?.[Symbol.asyncDispose]();
  await browser?.close();
});

interface Found {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/** Frames hold uploaded pages, which are not tested. No style sheet is fetched again. */
const ours = { resultTypes: ["violations"], iframes: false, preload: false };
/** The target size rule of WCAG 2.2 is off by default in axe. */
const everyRule = { ...ours, rules: { "target-size": { enabled: true } } };
const colorRules = ["color-contrast", "link-in-text-block"];

/**
 * A page is loaded once. All rules run in light mode on a wide window. Colors depend on the mode and not on
 * the width, positions depend on the width and not on the mode: so one check covers both a dark and a narrow
 * window, with the rules that either can break. Elements that only one width shows are checked in the rest.
 */
const checks: {
  colorScheme: "light" | "dark";
  width: number;
  options: object;
  /** Only elements that the check before did not see. */
  only?: "new";
}[] = [
  { colorScheme: "light", width: 1440, options: everyRule },
  { colorScheme: "light", width: 320, options: everyRule, only: "new" },
  {
    ...{ colorScheme: "dark", width: 320 },
    options: { ...ours, runOnly: [...colorRules, "target-size", "scrollable-region-focusable"] },
  },
  { colorScheme: "dark", width: 1440, options: { ...ours, runOnly: colorRules }, only: "new" },
];

const visible = "{ visibilityProperty: true, opacityProperty: true }";
/** The violations of what the selector names, or of its elements that the last check did not see. */
const run = (selector: string, options: object, only?: "new") => `(async () => {
  const isNew = (one) => one.checkVisibility(${visible}) && !window.seen.has(one);
  const named = [...document.querySelectorAll("${selector}")];
  const include = ${only === "new"} ? named.flatMap((one) => [...one.querySelectorAll("*")]).filter(isNew) : named;
  const tops = include.filter((one) => !include.includes(one.parentElement));
  window.seen = new Set([...document.querySelectorAll("*")].filter((one) => one.checkVisibility(${visible})));
  return tops.length ? (await axe.run({ include: tops }, ${JSON.stringify(options)})).violations : [];
})()`;

/**
 * The violations of the current page, or of a part of it, in every color scheme and width, as readable
 * messages.
 */
async function violations(page: Page, selector = "html"): Promise<string[]> {
  await page.evaluate(axe);
  const found: string[] = [];
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const { width, colorScheme, options, only } of checks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    if (await page.evaluate("document.documentElement.scrollWidth > innerWidth"))
      found.push(`${width} px: the page is wider than its window`);
    const list = (await page.evaluate(run(selector, options, only))) as Found[];
    for (const { id, nodes } of list)
      found.push(
        ...nodes.map((node) => `${id}, ${colorScheme}, ${width} px: ${node.html} ${node.failureSummary}`),
      );
  }
  return found;
}

describe.skipIf(!browserPath)("axe finds nothing", () => {
  /** The violations on these pages for a visitor with this token, as readable messages by page. */
  async function faultsOn(
    site: string,
    as: string | null,
    addresses: [name: string, address: string][],
  ): Promise<Record<string, string[]>> {
    await using visitor = await openBrowserSession(browser, site);
    const { page, faults } = visitor;
    if (as) await signIn(page, as);
    const found: Record<string, string[]> = {};
    for (const [name, address] of addresses) {
      await page.goto(address);
      if (name === "desk-pdf") await page.locator(".sheet.drawn").first().waitFor();
      const list = [...(await violations(page)), ...faults.splice(0)];
      if (list.length > 0) found[name] = list;
    }
    return found;
  }
  const isDesk = ([name]: [string, string]) => name.startsWith("desk-");

  test("on the pages of the feed, projects and assets", async () => {
    const { server, token, pages } = gallery;
    expect(
      await faultsOn(
        server.origin,
        token,
        Object.entries(pages).filter((one) => !isDesk(one)),
      ),
    ).toEqual({});
  });

  test("on the review desk, for every kind of asset", async () => {
    const { server, token, pages } = gallery;
    expect(await faultsOn(server.origin, token, Object.entries(pages).filter(isDesk))).toEqual({});
  });

  test.each([{ title: "Contents", entries: [start] }, ...chapters])(
    "on the documentation, $title",
    async ({ entries }) => {
      const addresses = entries.map(({ name, path }): [string, string] => [name, path]);
      expect(await faultsOn(gallery.server.origin, null, addresses)).toEqual({});
    },
  );

  test("at the sign-in page, where a scope is missing, and where there is no data yet", async () => {
    const { server, bare, token, narrow, narrowPages, barePages } = gallery;
    const door = { "sign-in": "/sign-in", unknown: "/assets/nowhere" };
    expect(await faultsOn(server.origin, null, Object.entries(door))).toEqual({});
    expect(await faultsOn(server.origin, narrow, Object.entries(narrowPages))).toEqual({});
    expect(await faultsOn(bare.origin, token, Object.entries(barePages))).toEqual({});
  });

  test("on the interactive page of the API: as it opens, with operations to try, and where a token is entered", async () => {
    await using visitor = await openBrowserSession(browser, gallery.server.origin);
    const { page } = visitor;
    await page.goto("/docs/api/try");
    await page.locator("#operations-feed-getFeed").waitFor();
    expect(await violations(page)).toEqual([]);
    const tried = ["#operations-feed-getFeed", "#operations-memory-decide"];
    for (const id of tried) {
      const operation = page.locator(id);
      await operation.locator(".opblock-summary-control").click();
      await operation.getByRole("button", { name: "Try it out" }).click();
    }
    // The others were checked above; axe would visit each of them again.
    await page.evaluate((ids) => {
      for (const one of document.querySelectorAll<HTMLElement>(".opblock"))
        if (!ids.includes(`#${one.id}`)) one.style.display = "none";
    }, tried);
    expect(await violations(page, tried.join())).toEqual([]);
    await page.getByRole("button", { name: "Authorize" }).click();
    await page.locator(".auth-container").first().waitFor();
    expect(await violations(page, ".dialog-ux")).toEqual([]);
    expect(visitor.faults).toEqual([]);
  });

  test("in dialogs and states that scripts show: filters, shortcuts, bulk review, an unsent review, an upload", async () => {
    await using visitor = await openBrowserSession(browser, gallery.server.origin);
    const { page } = visitor;
    await signIn(page, gallery.token);
    await page.goto("/feed?colour=red");
    await page.locator("summary", { hasText: "Kind" }).click();
    expect(await violations(page)).toEqual([]);
    await page.goto(must(gallery.pages.desk));
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("a");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.goto("/assets");
    await page.keyboard.press("/");
    await page.keyboard.type("harbor");
    await page.locator("#search-found li").first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.locator(".choice").first().click();
    await page
      .getByLabel("Choose files")
      .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("three berths") });
    await page.locator(".uploads li.done").waitFor();
    await page.locator(".choice").first().click();
    expect(await page.locator("#bulk").isVisible()).toBe(true);
    // It keeps to the window's edge, over what can be scrolled from under it.
    await page.evaluate("document.getElementById('bulk').style.position = 'static'");
    expect(await violations(page)).toEqual([]);
    expect(visitor.faults).toEqual([]);
  });
});
