/** What a rejection changed, as its reviewer sees it: at once, and when a run has read it. */
import { describe, expect, test } from "bun:test";
import { noisyPng } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";

const desk = useReviewDesk();
const { enter, uploads } = desk;

describe.skipIf(!browserPath)("a review", () => {
  test("that rejects shows what its note became, then who read it and what came after", async () => {
    const [first, second] = (await uploads(12, "one.png", "two.png")).toReversed() as [string, string];
    await using visitor = await enter();
    const { page } = visitor;
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1_000);
    await page.goto(`/assets/${first}?issue=12`);
    await page.keyboard.press("r");
    await page.keyboard.type("Too dark.");
    await page.keyboard.press("Control+Enter");
    await page.waitForURL(`**/assets/${second}?issue=12`);
    await page.clock.runFor(15_000);
    const card = page.locator("#toast .rejection-card");
    await card.getByText("The next brief for issue #12 carries it:").waitFor();
    expect(await card.locator("blockquote").textContent()).toContain("Too dark.");
    expect(await card.getByText("No run has read it yet.").count()).toBe(1);
    const { api, upload } = desk.testServer;
    const run = { actor: "agent:codex", project: "atlas", issue: 12, run_id: "reads", kind: "run.started" };
    await api("POST", "/events", { events: [{ ...run, summary: "Began" }] });
    await api("GET", "/projects/atlas/brief?issue=12&run_id=reads");
    await upload("one.png", noisyPng(50, 50), { issue: "12", replaces: first });
    await page.goto(`/assets/${first}`);
    const consequences = page.locator(".rejection-card .consequences li");
    expect((await consequences.allTextContents()).map((text) => text.trim())).toEqual([
      expect.stringMatching(/^Read by /),
      "Version 2 came after it",
    ]);
    expect(visitor.faults).toEqual([]);
  });
});
