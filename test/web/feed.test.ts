/** The feed in a real browser: live, in order, complete, with an accurate connection status. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { must, program, until } from "../support/harness.ts";

const desk = useReviewDesk();

const say = (summary: string, fields: object = {}) =>
  desk.testServer.api("POST", "/events", {
    events: [{ kind: "run.started", actor: "agent:codex", project: "atlas", summary, ...fields }],
  });

/** What the rows say; those of runs without their title. */
const shown = async (page: Page) =>
  (await page.locator(".event .what").allInnerTexts()).map((text) =>
    text.replace(/^Run of codex ?/, "").replace(/\s*Redact…$/, ""),
  );
const state = (page: Page) => page.locator("#live").textContent();
const isLive = (page: Page) => until(async () => (await state(page))?.includes("Live"), "the page is live");

describe.skipIf(!browserPath)("the feed page", () => {
  test("shows events from the command line within a second, even in an empty feed", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/feed?actor=runner:night");
    await page.getByText("No events match these filters.").waitFor();
    await isLive(page);
    // A busy machine may be late once; a page that asks now and then is late every time.
    const inTime = async (summary: string) => {
      const added = await program(
        ["event", "add", "--kind", "run.started", "--actor", "runner:night", "--summary", summary],
        desk.testServer.env,
      );
      expect(added.code).toBe(0);
      return page
        .getByText(summary)
        .waitFor({ timeout: 1000 })
        .then(
          () => true,
          () => false,
        );
    };
    expect(
      (await inTime("Run 1 began")) || (await inTime("Run 2 began")) || (await inTime("Run 3 began")),
    ).toBe(true);
    expect(await page.locator(".empty").count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test("does not move for a reader who has scrolled down, and counts new events", async () => {
    await using visitor = await desk.enter({ viewport: { width: 1280, height: 500 } });
    const { page } = visitor;
    const events = Array.from({ length: 60 }, (_, at) => ({
      kind: "step.usage",
      actor: "agent:codex",
      summary: `Step ${at}`,
    }));
    await desk.testServer.api("POST", "/events", { events });
    await page.goto("/feed");
    await isLive(page);
    await page.getByText("Step 30", { exact: true }).scrollIntoViewIfNeeded();
    const at = await page.evaluate("scrollY");
    const first = (await shown(page))[0];
    for (const name of ["one", "two", "three"]) await say(`News ${name}`);
    const news = page.locator("#news");
    await until(async () => (await news.textContent()) === "3 new events", "all three are counted");
    expect([(await shown(page))[0], await page.evaluate("scrollY")]).toEqual([must(first), at]);
    await news.click();
    await page.getByText("News three").waitFor();
    expect((await shown(page)).slice(0, 4)).toEqual(["News three", "News two", "News one", must(first)]);
    expect(await news.isHidden()).toBe(true);
    expect(visitor.faults).toEqual([]);
  });

  test("loads older events back to the first, grouped by day, each event once", async () => {
    const days = ["2026-01-05", "2026-01-06", "2026-01-07"];
    const lines = days.flatMap((day, at) =>
      Array.from({ length: 45 }, (_, index) =>
        JSON.stringify({
          ts: `${day}T10:00:${String(index).padStart(2, "0")}Z`,
          kind: "step.usage",
          actor: "agent:old",
          summary: `Day ${at}, step ${index}`,
        }),
      ),
    );
    const file = `${must(desk.testServer.env.SVC_DATA_DIR)}/old.ndjson`;
    await Bun.write(file, lines.join("\n"));
    expect((await program(["event", "import", file], desk.testServer.env)).code).toBe(0);
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.route("**/web/feed-rows**", async (route) => {
      await page.getByText("Loading…", { exact: true }).waitFor(); // shown while it loads
      await route.continue();
    });
    await page.goto("/feed?actor=agent:old");
    const end = page.getByText("No older events.");
    await until(async () => {
      await page.mouse.wheel(0, 3000);
      return end.isVisible();
    }, "the beginning is reached");
    const texts = await shown(page);
    expect(texts).toEqual(lines.toReversed().map((line) => JSON.parse(line).summary));
    expect(await page.locator(".day h2").allInnerTexts()).toEqual([
      "Wednesday, 7 January 2026",
      "Tuesday, 6 January 2026",
      "Monday, 5 January 2026",
    ]);
    expect(visitor.faults).toEqual([]);
  });

  test("without scripts has pages, back and forth", async () => {
    await using visitor = await desk.enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto("/feed?actor=agent:old");
    expect((await shown(page))[0]).toBe("Day 2, step 44");
    await page.getByRole("link", { name: "Older" }).click();
    expect((await shown(page))[0]).toBe("Day 1, step 39");
    await page.getByRole("link", { name: "Back to latest" }).click();
    expect((await shown(page)).length).toBe(50);
    expect(await page.locator("#live, #news").filter({ visible: true }).count()).toBe(0);
  });

  test("has its filters in the URL, and follows only matching events", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/feed");
    await page.locator("summary", { hasText: "Kind" }).click();
    await page.getByLabel("Run failed").check();
    await page.waitForURL("**/feed?kind=run.failed");
    await page.locator("summary", { hasText: "Actor" }).click();
    await page.getByLabel("codex", { exact: true }).check();
    await page.waitForURL("**/feed?kind=run.failed&actor=codex");
    expect(await page.getByRole("button", { name: "Apply" }).count()).toBe(0);
    await isLive(page);
    await say("Run 8 began");
    await say("Run 7 failed", {
      kind: "run.failed",
      tokens_in: 18_200,
      cost_equiv: 0.42,
      duration_ms: 61_000,
      pr: 12,
    });
    await page.getByText("Run 7 failed").waitFor();
    expect(await shown(page)).toEqual(["Run 7 failed\n18.2k in, 0 out · $0.42 · 1 min"]);
    const link = (name: string) => page.getByRole("link", { name, exact: true }).getAttribute("href");
    expect(await link("#12")).toBe("/projects/atlas/pulls/12");
    expect(await link("pull request #12 on GitHub")).toBe("https://github.com/acme/atlas/pull/12");
    expect(visitor.faults).toEqual([]);
  });
});
