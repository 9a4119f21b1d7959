/** Lists: what of them is shown in a window of any width, and the keys that move between their rows. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { browserPath, openBrowser, openBrowserSession } from "../support/browser/browser.ts";
import { type Server, startServer } from "../support/harness.ts";

let browser: Browser;
let server: Server;
beforeAll(async () => {
  if (!browserPath) return;
  browser = await openBrowser();
  server = await startServer(
    { url: "sqlite::memory:" },
    { SVC_DATA_MODE: "mock", SVC_PUBLIC_READ: "1", SVC_LANES: "lane_a" },
  );
});
afterAll(async () => {
  await server?.close();
  await browser?.close();
});

describe.skipIf(!browserPath)("a list", () => {
  test("shows every cell of its rows at once, however wide the window is", async () => {
    await using visitor = await openBrowserSession(browser, server.origin, { javaScriptEnabled: false });
    const { page } = visitor;
    const cut: unknown[] = [];
    for (const path of ["/tasks", "/tasks?as=table", "/runs", "/usage?by=task", "/memory?view=preferences"]) {
      await page.goto(path);
      for (const width of [320, 390, 768, 1024, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const boxes = page.locator("html, .board, .board-column, .wide-table");
        const hidden = await boxes.evaluateAll((all) => all.map((box) => box.scrollWidth - box.clientWidth));
        if (hidden.some((pixels) => pixels > 0)) cut.push([path, width, hidden]);
      }
    }
    expect(cut).toEqual([]);
  });

  test("moves between its rows by J and K, and Enter opens the thing that a row is about", async () => {
    await using visitor = await openBrowserSession(browser, server.origin);
    const { page, faults } = visitor;
    const focusedRow = () =>
      page.evaluate(`(() => {
      const rows = [...document.querySelectorAll("#found :is(.event, tbody tr, .tile, .board-card, .decisions > li)")];
      return rows.findIndex((row) => row.contains(document.activeElement));
    })()`);
    const lists = {
      "/feed": /^\/(runs|assets|projects\/\w+\/(issues|pulls))\b/,
      "/feed?view=events": /^\/(runs|assets|projects\/\w+\/(issues|pulls))\b/,
      "/assets": /^\/assets\/\w/,
      "/assets?as=list": /^\/assets\/\w/,
      "/tasks": /^\/projects\/\w+\/issues\/\d+$/,
      "/tasks?as=table": /^\/projects\/\w+\/(issues|pulls)\/\d+$/,
      "/runs": /^\/(runs\/|projects\/\w+\/runs\/)/,
      "/memory": /^\/memory\/decisions\/\w/,
    };
    for (const [path, opened] of Object.entries(lists)) {
      await page.goto(path);
      const rows: unknown[] = [];
      for (const key of ["j", "j", "k", "j"]) {
        await page.keyboard.press(key);
        rows.push(await focusedRow());
      }
      expect([path, rows]).toEqual([path, [0, 1, 0, 1]]);
      await Promise.all([
        page.waitForURL((url) => url.pathname + url.search !== path),
        page.keyboard.press("Enter"),
      ]);
      expect(new URL(page.url()).pathname).toMatch(opened);
    }
    expect(faults).toEqual([]);
  });
});
