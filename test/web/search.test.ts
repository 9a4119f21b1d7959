/** The search box of every page, and the search page, in a real browser. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { browserPath, openBrowserSession } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { until } from "../support/harness.ts";

const hostile = '<img src=x onerror="document.title=1"> lagoon';

const desk = useReviewDesk();
beforeAll(async () => {
  if (!browserPath) return;
  for (const text of ["The lagoon is drawn in blue", hostile])
    await desk.testServer.api("POST", "/decisions", { project: "atlas", text });
  const event = { kind: "run.failed", actor: "agent:codex", project: "atlas", issue: 118 };
  await desk.testServer.api("POST", "/events", { events: [{ ...event, summary: "The lagoon ran dry" }] });
  // A search waits two seconds for the newest events, and a busy machine may take longer.
  await until(
    async () => JSON.stringify(await desk.testServer.api("GET", "/recall?query=dry")).includes("ran dry"),
    "the event among the results of recall",
  );
});

const palette = (page: Page) => page.getByRole("dialog", { name: "Search and commands" });
const field = (page: Page) => palette(page).getByRole("combobox");
const chosen = (page: Page) => palette(page).getByRole("option", { selected: true });

describe.skipIf(!browserPath)("the palette", () => {
  test("shows results while you type, with the matched words marked, and opens one by the keyboard", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/methodology");
    await page.keyboard.press("/");
    await page.keyboard.type("lagoo");
    await palette(page).getByText("ran dry").waitFor();
    const groups = palette(page).getByRole("group");
    expect(await groups.evaluateAll((all) => all.map((group) => group.ariaLabel))).toEqual([
      "Memory",
      "Events",
      "More",
    ]);
    expect(new Set(await palette(page).locator("mark").allInnerTexts())).toEqual(new Set(["lagoon"]));
    expect(await palette(page).getByRole("status").textContent()).toBe("3 results");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    expect(await chosen(page).textContent()).toContain("lagoon");
    const id = await field(page).getAttribute("aria-activedescendant");
    expect(id).toBe(await chosen(page).getAttribute("id"));
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/memory\/decisions\/\d+$/);
    expect(visitor.faults).toEqual([]);
  });

  test("opens by Ctrl+K, by the search box, and closes by Escape", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/projects");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("lagoon");
    await palette(page).getByText("ran dry").waitFor();
    await page.keyboard.press("Escape");
    expect(await palette(page).isVisible()).toBe(false);
    await page.locator("#search-box").click();
    await palette(page).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#search-box").pressSequentially("atl");
    await palette(page).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test("loads its scripts when it opens, not with the page", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    const scripts: string[] = [];
    page.on("request", (request) => scripts.push(new URL(request.url()).pathname.split("/").at(-1) ?? ""));
    await page.goto("/projects");
    expect(scripts).not.toContain("palette.js");
    await page.keyboard.press("Control+k");
    await palette(page).waitFor();
    expect(scripts).toContain("palette.js");
  });

  test("leaves `/` to a field in which you type", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/memory");
    const words = page.locator('main input[type="search"]').first();
    await words.focus();
    await page.keyboard.type("a/b");
    expect(await words.inputValue()).toBe("a/b");
  });

  test("leads to what it names exactly on Enter, to pages by their names, and else to the first result", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    for (const [query, url] of [
      ["#118", "**/projects/atlas/issues/118"],
      ["atlas", "**/projects/atlas"],
      ["usage", "**/usage"],
      ["sett", "**/settings"],
    ] as const) {
      await page.goto("/docs");
      await page.keyboard.press("/");
      await page.keyboard.type(query);
      await page.keyboard.press("Enter");
      await page.waitForURL(url);
    }
    await page.keyboard.press("Control+k");
    await palette(page).getByRole("option", { name: "Usage" }).waitFor();
    await page.keyboard.press("Enter"); // nothing is chosen in an empty field
    await page.keyboard.type("lagoon");
    await palette(page).getByText("All results for “lagoon”").click();
    await page.waitForURL("**/search?query=lagoon");
    expect(visitor.faults).toEqual([]);
  });

  test("runs the commands of the page: copies the brief of the task", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto("/projects/atlas/issues/118");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("copy brief");
    await palette(page).getByRole("option", { name: "Copy the brief of issue #118" }).waitFor();
    await page.keyboard.press("Enter");
    await palette(page)
      .getByText(/^Copied \d/)
      .waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain("The lagoon is drawn in blue");
    await field(page).fill("sign");
    await palette(page).getByRole("option", { name: "Sign out" }).waitFor();
  });

  test("says which asset a file is, its version, and who approved it", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    const bytes = Buffer.from("three berths by the lagoon");
    const { id } = await desk.testServer.upload("berths.txt", bytes, { title: "Berths" });
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    await desk.testServer.api("PUT", `/assets/${id}/review`, {
      decision: "approved",
      by: "human:mara",
      sha256,
    });
    await page.goto("/search");
    await page.keyboard.press("Control+k");
    const files = palette(page).getByLabel("Find the asset of a file");
    await files.setInputFiles({ name: "berths.txt", mimeType: "text/plain", buffer: bytes });
    await palette(page).getByText("berths.txt is this asset.").waitFor();
    expect(await chosen(page).textContent()).toMatch(/^Berths.*Version 1, approved by mara on 20\d\d-/);
    await files.setInputFiles({ name: "other.txt", mimeType: "text/plain", buffer: Buffer.from("other") });
    await palette(page).getByText("No asset that you can see is other.txt.").waitFor();
    await page.keyboard.press("Escape");
    await page.goto(`/search?query=${sha256}`);
    expect(await page.locator("#results").textContent()).toContain("Version 1, approved by mara");
    expect(visitor.faults).toEqual([]);
  });

  test("says so if the server does not answer", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/projects");
    await page.route("**/web/search-results*", (route) => route.fulfill({ status: 503, body: "{}" }));
    await page.keyboard.press("/");
    await page.keyboard.type("lagoon");
    await palette(page).getByText("Couldn't search. Try again.").waitFor();
  });

  test("fits a phone", async () => {
    await using visitor = await desk.enter({ viewport: { width: 390, height: 800 } });
    const { page } = visitor;
    await page.goto("/projects");
    await page.getByRole("searchbox").click();
    await field(page).fill("lagoon");
    await palette(page).getByText("ran dry").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    const box = await palette(page).boundingBox();
    expect([(box?.x ?? -1) >= 0, (box?.width ?? 0) > 300]).toEqual([true, true]);
  });
});

describe.skipIf(!browserPath)("the search page", () => {
  test("works without scripts, and shows stored text as text", async () => {
    await using visitor = await desk.enter({ javaScriptEnabled: false });
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

  test("is open to visitors, who find only the documentation", async () => {
    await using visitor = await openBrowserSession(desk.browser, desk.testServer.server.origin);
    const { page } = visitor;
    await page.goto("/search?query=lagoon signing secret");
    expect(await page.locator("#results").getByRole("heading").allInnerTexts()).toEqual(["Documentation"]);
  });
});
