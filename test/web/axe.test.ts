/**
 * Accessibility: axe finds no violation on any page, light and dark, narrow and wide. A page without a new kind
 * of element is like those that were checked before it.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { chapters, start } from "../../src/api/docs/contents.ts";
import {
  type Checked,
  memory,
  openAxeSession,
  showDocument,
  thinPage,
  violationsOf,
} from "../support/browser/axe.ts";
import { browserPath, openBrowser } from "../support/browser/browser.ts";
import { elementKinds } from "../support/browser/element-kinds.ts";
import { serveFewOperations } from "../support/browser/few-operations.ts";
import { openScreenshotServer, type ScreenshotServer } from "../support/browser/screenshot-server.ts";
import { must, until } from "../support/harness.ts";

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

/** Of the pages that were checked. */
const kinds = new Set<string>();
/** Whether an element of the page, or what it stands in, is new: the same elsewhere has the same faults. */
async function isNew(page: Page, address: string): Promise<boolean> {
  const response = await page.request.get(address, { headers: { accept: "text/html" } });
  const before = kinds.size;
  for (const kind of elementKinds(await response.text())) kinds.add(kind);
  return kinds.size > before;
}

const checked: Checked = { light: memory(), dark: memory(), newElements: memory(), around: memory() };
const violations = (page: Page, selector?: string) => violationsOf(page, checked, selector);

describe.skipIf(!browserPath)("axe finds nothing", () => {
  /**
   * The violations on these pages for a visitor with this token, as readable messages by page.
   * @param prose blocks of text that were checked on pages before: the pages differ in their texts, and only
   * the first is loaded
   */
  async function faultsOn(
    site: string,
    as: string | null,
    addresses: [name: string, address: string][],
    prose?: Set<string>,
  ): Promise<Record<string, string[]>> {
    await using visitor = await openAxeSession(browser, site, as);
    const { page, faults } = visitor;
    const found: Record<string, string[]> = {};
    for (const [name, address] of addresses) {
      const isChecked = !(await isNew(page, address));
      if (isChecked && !prose) continue;
      if (prose && page.url() !== "about:blank") await showDocument(page, address);
      else await page.goto(address);
      if (name === "desk-pdf") {
        await page.mouse.move(5, 5);
        await page.locator(".sheet.drawn").first().waitFor();
      }
      const tooWide = await thinPage(page, prose);
      const list = [...tooWide, ...(isChecked ? [] : await violations(page)), ...faults.splice(0)];
      if (list.length > 0) found[name] = list;
    }
    return found;
  }
  /** Of the documentation: its pages are prose between the same header and footer. */
  const prose = new Set<string>();
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
      expect(await faultsOn(gallery.server.origin, null, addresses, prose)).toEqual({});
    },
  );

  test("at the sign-in page, where a scope is missing, and where there is no data yet", async () => {
    const { server, bare, token, narrow, narrowPages, barePages } = gallery;
    const door = { "sign-in": "/sign-in", unknown: "/assets/nowhere" };
    expect(await faultsOn(server.origin, null, Object.entries(door))).toEqual({});
    expect(await faultsOn(server.origin, narrow, Object.entries(narrowPages))).toEqual({});
    expect(await faultsOn(bare.origin, token, Object.entries(barePages))).toEqual({});
  });

  test("on the pages of a share link: before and after it is opened, for its creator, and when it is not valid", async () => {
    const { server, token, pages } = gallery;
    await using team = await openAxeSession(browser, server.origin, token);
    await team.page.goto(must(Object.entries(pages).find(isDesk))[1]);
    await team.page.locator("#share > summary").click();
    await team.page.getByText("Create a link for someone").click();
    await team.page.getByLabel("For whom").fill("Ana at Harbor Ltd");
    await team.page.getByLabel("They can").selectOption("verdict");
    await team.page.getByRole("button", { name: "Create link" }).click();
    const link = must(await team.page.locator("code", { hasText: "/s/" }).textContent());
    expect(await violations(team.page)).toEqual([]);
    await using guest = await openAxeSession(browser, server.origin, null);
    for (const step of ["/s/unknown", link]) {
      await guest.page.goto(step);
      expect([step, await violations(guest.page)]).toEqual([step, []]);
    }
    await guest.page.getByRole("button", { name: "Open" }).click();
    const form = guest.page.locator(".annotate");
    await form.locator("> summary").click();
    await form.getByLabel("Your name").fill("Ana");
    await form.getByLabel("What to change").fill("Too dark.");
    await form.getByRole("button", { name: "Save annotation" }).click();
    await guest.page.locator(".marks > .mark").waitFor();
    expect(await violations(guest.page)).toEqual([]);
    expect([team.faults, guest.faults.filter((fault) => !fault.includes("404"))]).toEqual([[], []]);
  });

  test("on the interactive page of the API: as it opens, with operations to try, and where a token is entered", async () => {
    await using visitor = await openAxeSession(browser, gallery.server.origin, null);
    const { page } = visitor;
    // One with parameters and a body.
    const tried = ["#operations-reviews-reviewAsset"];
    const ids = tried.map((id) => must(id.split("-").at(-1)));
    // Operations of one method differ in their texts only, and axe needs a second for each.
    await serveFewOperations(page, ids);
    await page.goto("/docs/api/try");
    await page.locator(tried.join()).waitFor();
    expect(await violations(page)).toEqual([]);
    for (const id of tried) {
      const operation = page.locator(id);
      await operation.locator(".opblock-summary-control").click();
      await operation.getByRole("button", { name: "Try it out" }).click();
    }
    // The others were checked above.
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
    await using visitor = await openAxeSession(browser, gallery.server.origin, gallery.token);
    const { page } = visitor;
    await page.goto("/feed?colour=red");
    await page.locator("summary", { hasText: "Kind" }).click();
    expect(await violations(page)).toEqual([]);
    await page.goto(must(gallery.pages.desk));
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("m");
    await page.keyboard.press("Enter");
    await page.locator(".composing").waitFor();
    expect(await violations(page)).toEqual([]);
    for (const key of ["Escape", "Escape", "i"]) await page.keyboard.press(key);
    expect(await violations(page)).toEqual([]);
    await page.goto(must(gallery.pages["desk-video"]));
    await page.keyboard.press("r");
    await page.keyboard.type("Show the focus ring.");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.goto("/assets");
    await page.keyboard.press("/");
    await page.keyboard.type("harbor");
    await page.locator("#palette [role=option]").first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.locator(".choice").first().click();
    await page
      .getByLabel("Choose files")
      .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("three berths") });
    await page.locator(".uploads li.done").waitFor();
    // The list is replaced once after the upload.
    await until(async () => {
      await page.locator(".choice input").first().check();
      return page.locator("#bulk").isVisible();
    }, "the choice shows what can be done with it");
    // It keeps to the window's edge, over what can be scrolled from under it.
    await page.evaluate("document.getElementById('bulk').style.position = 'static'");
    expect(await violations(page)).toEqual([]);
    expect(visitor.faults).toEqual([]);
  });
});
