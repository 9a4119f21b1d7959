import { afterAll, beforeAll } from "bun:test";
import type { Browser } from "playwright-core";
import type { AssetDetail, AssetStatus } from "../../../src/library/assets/schema.ts";
import { png } from "../assets/media.ts";
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

/** Opens one browser and one server for the tests of a file. */
export function useReviewDesk(): ReviewDesk {
  let browser: Browser;
  let testServer: TestServer;
  beforeAll(async () => {
    if (!browserPath) return;
    [browser, testServer] = await Promise.all([openBrowser(), openTestServer()]);
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
