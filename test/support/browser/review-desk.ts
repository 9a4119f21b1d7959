import { afterAll, beforeAll } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { Environment } from "../../../src/core/config.ts";
import type { AssetDetail, AssetStatus } from "../../../src/library/assets/schema.ts";
import { png } from "../assets/media.ts";
import { until } from "../conditions.ts";
import { openTestServer, type TestServer } from "../test-server.ts";
import {
  type BrowserSession,
  type BrowserSessionOptions,
  browserPath,
  openBrowser,
  openBrowserSession,
} from "./browser.ts";

export interface ReviewDesk {
  readonly browser: Browser;
  readonly testServer: TestServer;
  /** Opens a browser session that is signed in as `ana`. */
  enter(options?: BrowserSessionOptions): Promise<BrowserSession>;
  assetOf(id: string): Promise<AssetDetail>;
  statusOf(id: string): Promise<AssetStatus>;
  /** Uploads images to an issue of their own, so that the filtered queue holds nothing else. */
  uploads(issue: number, ...names: string[]): Promise<[string, ...string[]]>;
}

/** Opens one browser and one server, with these settings, for the tests of a file. */
export function useReviewDesk(settings: Environment = {}): ReviewDesk {
  let browser: Browser;
  let testServer: TestServer;
  beforeAll(async () => {
    if (!browserPath) return;
    [browser, testServer] = await Promise.all([openBrowser(), openTestServer("sqlite", "disk", settings)]);
  });
  afterAll(async () => {
    await testServer?.[Symbol.asyncDispose]();
    await browser?.close();
  });
  const assetOf = (id: string) => testServer.api<AssetDetail>("GET", `/assets/${id}`);
  return {
    get browser() {
      return browser;
    },
    get testServer() {
      return testServer;
    },
    enter: async (options = {}) =>
      openBrowserSession(browser, testServer.server.origin, {
        cookies: await testServer.session(),
        ...options,
      }),
    assetOf,
    statusOf: async (id) => (await assetOf(id)).status,
    async uploads(issue, ...names) {
      const list: string[] = [];
      for (const name of names)
        list.push((await testServer.upload(name, png(8 + list.length, 8), { issue: String(issue) })).id);
      return list as [string, ...string[]];
    },
  };
}

/** Installs a fake clock, so that the test does not depend on the speed of the machine. */
export async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1_000);
}

const toastWith = (page: Page, text: string | RegExp) => page.locator("#toast").getByText(text);

export const toast = (page: Page, text: string | RegExp): Promise<void> => toastWith(page, text).waitFor();

/**
 * Lets the time to undo a review pass until a condition holds. Once is not enough on a busy machine: the page
 * that a review leads to sends it, and starts its timer when it has loaded.
 */
export const passUndoTime = (page: Page, condition: () => Promise<boolean>, what: string): Promise<void> =>
  until(async () => {
    await page.clock.runFor(11_000);
    return condition();
  }, what);

export const toastAfterUndoTime = (page: Page, text: string | RegExp): Promise<void> =>
  passUndoTime(page, () => toastWith(page, text).isVisible(), `the toast ${text}`);
