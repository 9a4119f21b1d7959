/** Every page is for everybody: no violation that axe can find, light and dark, narrow and wide. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { browserPath, openBrowser, signIn, visit } from "./browser.ts";
import { type Gallery, openGallery } from "./gallery.ts";
import { must } from "./harness.ts";

let browser: Browser;
let gallery: Gallery;
beforeAll(async () => {
  if (!browserPath) return;
  browser = await openBrowser();
  gallery = await openGallery();
});
afterAll(async () => {
  await gallery?.[Symbol.asyncDispose]();
  await browser?.close();
});

interface Found {
  id: string;
  nodes: { html: string; failureSummary: string }[];
}

/** The rules that colours decide; the others find the same in every theme. */
const ofColour = ["color-contrast", "link-in-text-block"];

/** Every rule where it may decide otherwise: those of colour in each theme, the rest at each width. */
const looks = [
  { width: 1440, colorScheme: "light", rules: {} },
  { width: 320, colorScheme: "light", rules: {} },
  { width: 320, colorScheme: "dark", rules: { runOnly: ofColour } },
  { width: 1440, colorScheme: "dark", rules: { runOnly: ofColour } },
] as const;

/** What axe finds in the page as it stands, in every look, in words that lead there. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const { width, colorScheme, rules } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    if (await page.evaluate("document.documentElement.scrollWidth > innerWidth"))
      found.push(`${width} px: the page is wider than its window`);
    // What stands in a frame is somebody else's page.
    const options = JSON.stringify({ resultTypes: ["violations"], iframes: false, ...rules });
    const list = (await page.evaluate(`axe.run(${options}).then((result) => result.violations)`)) as Found[];
    for (const { id, nodes } of list)
      found.push(...nodes.map((node) => `${id}, ${colorScheme}, ${width} px: ${node.html} ${node.failureSummary}`));
  }
  return found;
}

describe.skipIf(!browserPath)("axe finds nothing", () => {
  test("on any page", async () => {
    const { server, bare, token, narrow, pages, narrowPages, barePages } = gallery;
    const found: Record<string, string[]> = {};
    const look = async (site: string, as: string | null, addresses: Record<string, string>) => {
      await using visitor = await visit(browser, site);
      const { page, faults } = visitor;
      if (as) await signIn(page, as);
      for (const [name, address] of Object.entries(addresses)) {
        await page.goto(address);
        if (name === "desk-pdf") await page.locator(".sheet.drawn").first().waitFor();
        const list = [...(await violations(page)), ...faults.splice(0)];
        if (list.length > 0) found[name] = list;
      }
    };
    await look(server.origin, null, { "sign-in": "/sign-in", unknown: "/assets/nowhere" });
    await look(server.origin, token, pages);
    await look(server.origin, narrow, narrowPages);
    await look(bare.origin, token, barePages);
    expect(found).toEqual({});
  });

  test("in what scripts show: the keys, verdicts on several, a verdict that is held, an upload", async () => {
    await using visitor = await visit(browser, gallery.server.origin);
    const { page } = visitor;
    await signIn(page, gallery.token);
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
    await page.locator(".choice").first().click();
    await page.getByLabel("Choose files").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("three berths") });
    await page.locator(".uploads li.done").waitFor();
    await page.locator(".choice").first().click();
    expect(await page.locator("#bulk").isVisible()).toBe(true);
    expect(await violations(page)).toEqual([]);
    expect(visitor.faults).toEqual([]);
  });
});
