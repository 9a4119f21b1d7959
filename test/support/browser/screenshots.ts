/**
 * `bun test/support/browser/screenshots.ts [name …]`: pictures of each page into /test/screenshots, light and dark,
 * 390 and 1440 px wide; with `--odd` forced colours, 320 px and a screen of 3840 px instead. For looking at;
 * nothing is compared.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { browserPath, launchBrowser, openBrowserSession, signIn } from "./browser.ts";
import { openScreenshotServer } from "./screenshot-server.ts";

const folder = join(import.meta.dir, "../../screenshots");
const names = process.argv.slice(2).filter((one) => one !== "--odd");

const sized = (width: number, height = 900) => ({ viewport: { width, height } });
const usual: Record<string, BrowserContextOptions> = Object.fromEntries(
  (["light", "dark"] as const).flatMap((colorScheme) =>
    [1440, 390].map((width) => [`${colorScheme}-${width}`, { colorScheme, ...sized(width) }]),
  ),
);
const odd: Record<string, BrowserContextOptions> = {
  forced: { forcedColors: "active", colorScheme: "dark", ...sized(1440) },
  narrow: sized(320),
  large: sized(3840, 2160),
};

/** What scripts show on the way, as it stands in the window. */
const states: Record<string, { at: string; act(page: Page): Promise<unknown> }> = {
  "desk-keys": { at: "desk", act: (page) => page.keyboard.press("?") },
  "desk-held": {
    at: "desk",
    act: async (page) => {
      await page.keyboard.press("a");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Undo" }).waitFor();
    },
  },
  "assets-chosen": { at: "assets", act: (page) => page.locator(".choice").first().click() },
  "project-numbers": {
    at: "project",
    act: (page) => page.locator("summary", { hasText: "Show data" }).first().click(),
  },
  "feed-menu": { at: "feed", act: (page) => page.locator("summary", { hasText: "Kind" }).click() },
  "feed-offline": { at: "feed", act: (page) => page.context().setOffline(true) },
};

if (!browserPath) process.exit(1);
await mkdir(folder, { recursive: true });
const browser = await launchBrowser();
const gallery = await openScreenshotServer();
const { server, bare, token, narrow, pages, docsPages, narrowPages, barePages } = gallery;
try {
  for (const [look, options] of Object.entries(process.argv.includes("--odd") ? odd : usual)) {
    const shootStates = async () => {
      const wanted = Object.entries(states).filter(([name]) => names.length === 0 || names.includes(name));
      if (wanted.length === 0) return;
      await using visitor = await openBrowserSession(browser, server.origin, options);
      await signIn(visitor.page, token);
      for (const [name, { at, act }] of wanted) {
        await visitor.page.goto(pages[at] as string, { waitUntil: "load" });
        await act(visitor.page);
        await visitor.page.screenshot({ path: join(folder, `${name}-${look}.png`) });
        // a verdict is taken back: the other pictures are of the same house
        await visitor.page.keyboard.press("u");
      }
    };
    const shoot = async (site: string, as: string, addresses: Record<string, string>) => {
      const wanted = Object.entries(addresses).filter(([name]) => names.length === 0 || names.includes(name));
      if (wanted.length === 0) return;
      await using visitor = await openBrowserSession(browser, site, options);
      const { page, faults } = visitor;
      if (as) await signIn(page, as);
      for (const [name, address] of wanted) {
        await page.goto(address, { waitUntil: "load" });
        if (name === "desk-pdf") {
          await page.mouse.move(5, 5);
          await page.locator(".sheet.drawn").first().waitFor();
        }
        await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: true });
      }
      for (const fault of faults) process.stderr.write(`${look}: ${fault}\n`);
    };
    await shoot(server.origin, "", { "sign-in": "/sign-in" });
    await shoot(server.origin, token, { ...pages, ...docsPages });
    await shoot(server.origin, narrow, narrowPages);
    await shoot(bare.origin, token, barePages);
    await shootStates();
  }
} finally {
  await gallery[Symbol.asyncDispose]();
  await browser.close();
}
process.stdout.write(`${folder}\n`);
