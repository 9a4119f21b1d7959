/** The search box of every page, and the search page, in a real browser. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import {
  type BrowserSessionOptions,
  browserPath,
  openBrowser,
  openBrowserSession,
} from "../support/browser/browser.ts";
import { until } from "../support/harness.ts";
import { openTestServer, type TestServer } from "../support/test-server.ts";

const hostile = '<img src=x onerror="document.title=1"> lagoon';

let browser: Browser;
let testServer: TestServer;
beforeAll(async () => {
  if (!browserPath) return;
  [browser, testServer] = await Promise.all([openBrowser(), openTestServer()]);
  for (const text of ["The lagoon is drawn in blue", hostile])
    await testServer.api("POST", "/decisions", { project: "atlas", text });
  const event = { kind: "run.failed", actor: "agent:codex", project: "atlas", issue: 118 };
  await testServer.api("POST", "/events", { events: [{ ...event, summary: "The lagoon ran dry" }] });
  // A search waits two seconds for the newest events, and a busy machine may take longer.
  await until(
    async () => JSON.stringify(await testServer.api("GET", "/recall?query=dry")).includes("ran dry"),
    "the event among the results of recall",
  );
});
afterAll(async () => {
  await testServer?.[Symbol.asyncDispose]();
  await browser?.close();
});

/** Opens a browser session that is signed in. */
const enter = async (options: BrowserSessionOptions = {}) =>
  openBrowserSession(browser, testServer.server.origin, { cookies: await testServer.session(), ...options });
const focused = (page: Page) =>
  page.evaluate("document.activeElement.textContent || document.activeElement.id");
const popup = (page: Page) => page.locator("#search-found");

describe.skipIf(!browserPath)("the search box", () => {
  test("shows results while you type, with the matched words marked, and opens one by the keyboard", async () => {
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto("/methodology");
    await page.keyboard.press("/");
    await page.keyboard.type("lagoo");
    await popup(page).getByText("ran dry").waitFor();
    expect(await popup(page).getByRole("heading").allInnerTexts()).toEqual(["Memory", "Events"]);
    expect(new Set(await popup(page).locator("mark").allInnerTexts())).toEqual(new Set(["lagoon"]));
    expect(await popup(page).getByRole("status").textContent()).toBe("3 results for “lagoo”");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    expect(await focused(page)).toContain("lagoon");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/memory\/decisions\/\d+$/);
    expect(visitor.faults).toEqual([]);
  });

  test("closes with Escape, and the arrow up leads back to it", async () => {
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto("/projects");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("lagoon");
    await popup(page).getByText("ran dry").waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    expect(await focused(page)).toBe("search-box");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    expect([await popup(page).isVisible(), await focused(page)]).toEqual([false, "search-box"]);
    expect(await page.locator("#search-box").inputValue()).toBe("lagoon");
    await page.keyboard.press("Escape");
    expect(await focused(page)).not.toBe("search-box");
    expect(visitor.faults).toEqual([]);
  });

  test("leaves `/` to a field in which you type", async () => {
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto("/feed");
    const field = page.locator('input[name="actor"]');
    await field.focus();
    await page.keyboard.type("a/b");
    expect(await field.inputValue()).toBe("a/b");
  });

  test("jumps to what it names exactly on Enter, and else opens the search page", async () => {
    await using visitor = await enter();
    const { page } = visitor;
    for (const [query, url] of [
      ["#118", "**/projects/atlas/issues/118"],
      ["atlas", "**/projects/atlas"],
      ["lagoon", "**/search?query=lagoon*"],
    ] as const) {
      await page.goto("/docs");
      await page.keyboard.press("/");
      await page.keyboard.type(query);
      await page.keyboard.press("Enter");
      await page.waitForURL(url);
    }
    expect(visitor.faults).toEqual([]);
  });

  test("says so if the server does not answer, and offers to try again", async () => {
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto("/projects");
    await page.route("**/web/search-results*", (route) => route.fulfill({ status: 503, body: "{}" }));
    await page.keyboard.press("/");
    await page.keyboard.type("lagoon");
    await popup(page).getByText("Couldn't search.").waitFor();
    await popup(page).getByRole("link", { name: "Try again" }).click();
    await page.waitForURL("**/search?query=lagoon");
    await page.locator("#results").getByText("ran dry").waitFor();
  });

  test("fits a phone", async () => {
    await using visitor = await enter({ viewport: { width: 390, height: 800 } });
    const { page } = visitor;
    await page.goto("/projects");
    await page.getByRole("searchbox").fill("lagoon");
    await popup(page).getByText("ran dry").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    const box = await popup(page).boundingBox();
    expect([(box?.x ?? -1) >= 0, (box?.width ?? 0) > 300]).toEqual([true, true]);
  });
});

describe.skipIf(!browserPath)("the search page", () => {
  test("works without scripts, and shows stored text as text", async () => {
    await using visitor = await enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto("/projects");
    await page.getByRole("searchbox").fill("lagoon");
    await page.getByRole("searchbox").press("Enter");
    const results = page.locator("#results");
    expect(await results.locator("li").count()).toBe(3);
    expect(await results.textContent()).toContain('<img src=x onerror="document.title=1">');
    expect(await results.locator("img").count()).toBe(0);
    expect(await page.getByRole("searchbox").inputValue()).toBe("lagoon");
    await page.goto("/search?query=atlas");
    expect(await results.getByRole("heading").allInnerTexts()).toContain("Jump to");
  });

  test("shows new results in place while you type, under an address that can be shared", async () => {
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto("/search?query=lagoon");
    await page.locator("#results").getByText("ran dry").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("signing secret");
    await page.locator("#results").getByRole("link", { name: "Configuration › Signing secret" }).waitFor();
    await until(() => page.url().endsWith("/search?query=signing+secret"), "the address follows");
    expect(await popup(page).isVisible()).toBe(false);
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toContain("Signing secret");
    expect(visitor.faults).toEqual([]);
  });

  test("is open to visitors, who find only the documentation", async () => {
    await using visitor = await openBrowserSession(browser, testServer.server.origin);
    const { page } = visitor;
    await page.goto("/search?query=lagoon signing secret");
    expect(await page.locator("#results").getByRole("heading").allInnerTexts()).toEqual(["Documentation"]);
  });
});
