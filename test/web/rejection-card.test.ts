/** What a rejection changed, as its reviewer sees it: at once, and when a run has read it. */
import { describe, expect, test } from "bun:test";
import type { AssetDetail } from "../../src/library/assets/schema.ts";
import type { Brief } from "../../src/overview/brief/schema.ts";
import { noisyPng } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { until } from "../support/conditions.ts";

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
    await card.getByText("The next brief for issue #12 begins with:").waitFor();
    const words = card.getByRole("textbox", { name: "The words of the decision" });
    expect(await words.inputValue()).toBe("Too dark.");
    expect(await card.getByText("No run has read it yet.").count()).toBe(1);
    const { api, upload } = desk.testServer;
    const run = { actor: "agent:codex", project: "atlas", issue: 12, run_id: "reads", kind: "run.started" };
    await api("POST", "/events", { events: [{ ...run, summary: "Began" }] });
    await words.fill("No text below 4.5:1.");
    await card.getByRole("button", { name: "Save these words" }).click();
    await card.getByText(/^Saved as decision \d+\.$/).waitFor();
    const brief = await api<Brief>("GET", "/projects/atlas/brief?issue=12&run_id=reads");
    expect([brief.text.includes("No text below 4.5:1."), brief.text.includes("Too dark.")]).toEqual([
      true,
      false,
    ]);
    await upload("one.png", noisyPng(50, 50), { issue: "12", replaces: first });
    await page.goto(`/assets/${first}`);
    const consequences = page.locator(".rejection-card .consequences li");
    expect((await consequences.allTextContents()).map((text) => text.trim())).toEqual([
      expect.stringMatching(/^Read by /),
      "Version 2 came after it",
    ]);
    expect(visitor.faults).toEqual([]);
  });

  test("that rejects names its decision, also after the page was left, without scripts, and with another", async () => {
    const { api } = desk.testServer;
    const decisionOf = async (id: string) =>
      (await api<AssetDetail>("GET", `/assets/${id}`)).verdicts.at(-1)?.decision ?? "";
    const [one, two, three, four] = (await uploads(16, "1.png", "2.png", "3.png", "4.png")) as [
      string,
      string,
      string,
      string,
    ];
    await using visitor = await enter();
    const { page } = visitor;
    const reject = async (id: string) => {
      await page.locator(`[data-asset="${id}"] .item-look`).click();
      await page.locator(`#verdict[action^="/assets/${id}/"] textarea`).fill("Too dark.");
      await page.getByRole("button", { name: "Reject" }).click();
      await page.locator("#undo").waitFor();
    };
    const toast = page.locator("#toast");
    await page.goto("/");
    await reject(one);
    await page.goto("/?view=done"); // which sends the review
    await toast.getByText("This is decision").waitFor();
    expect(await decisionOf(one)).toBe("rejected");
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1_000);
    await page.goto("/");
    await reject(two);
    await page.clock.runFor(500);
    await reject(three);
    await page.clock.runFor(15_000);
    await toast.getByText("2 rejected. Your notes are decision").waitFor();
    expect(await toast.locator(".named a[href^='/memory/decisions/']").count()).toBe(2);
    await using plain = await desk.enter({ javaScriptEnabled: false });
    await plain.page.goto(`/?item=review-${four}`);
    await plain.page.locator("#verdict textarea").fill("Too dark.");
    await plain.page.getByRole("button", { name: "Reject" }).click();
    await plain.page.getByText(/Decision \d+ carries your note to the next brief\./).waitFor();
    expect([...visitor.faults, ...plain.faults]).toEqual([]);
  });

  test("that rejects comes back on Today: when a run reads it, and when a version honors it", async () => {
    const { api, upload } = desk.testServer;
    const [first] = await desk.uploads(14, "chart.png");
    const place = { shape: "rect", x: 1_000, y: 1_000, w: 3_000, h: 3_000 };
    await api("POST", `/assets/${first}/annotations`, { body: "Too dark", weight: "must", target: place });
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto(`/?item=review-${first}`);
    await page.locator("#verdict textarea").fill("Lighter ground.");
    await page.getByRole("button", { name: "Reject" }).click();
    await page.locator("#undo").waitFor();
    expect(await page.getByRole("heading", { name: /^What your notes changed/ }).count()).toBe(0);
    await page.goto(`/assets/${first}`); // which sends the review
    await until(async () => (await desk.statusOf(first)) === "rejected", "the rejection");
    await page.goto("/");
    const badge = page.locator("nav .inbox-count").first();
    const counted = await badge.textContent();
    const run = { actor: "agent:codex", project: "atlas", issue: 14, run_id: "second", kind: "run.started" };
    await api("POST", "/events", { events: [{ ...run, summary: "Began" }] });
    await api("GET", "/projects/atlas/brief?issue=14&run_id=second");
    await page.goto("/");
    const item = page.locator(`[data-id="answer-${first}"]`);
    await item.getByText("A run read your note").waitFor();
    await item.getByText("Read by codex").waitFor();
    expect(await badge.textContent()).toBe(counted); // it asks for nothing
    const { id: second } = await upload("chart.png", noisyPng(50, 50), { issue: "14", replaces: first });
    const crops = page.locator("#today-opened .note-crops svg.crop");
    await until(async () => {
      await page.goto(`/?item=review-${second}`);
      return (await crops.count()) === 2;
    }, "the mark in both versions");
    expect(await item.count()).toBe(0); // it waits for a review, and says so itself
    await api("PUT", `/assets/${second}/review`, { decision: "approved" });
    await page.goto(`/?item=answer-${first}`);
    await item.getByText("A version with your note was approved").waitFor();
    const card = page.locator("#today-opened");
    const labels = await card.locator("svg.crop").evaluateAll((crops) => crops.map((one) => one.ariaLabel));
    expect(labels).toEqual([
      expect.stringMatching(/ in version 1$/),
      expect.stringMatching(/ in version 2$/),
    ]);
    expect(await card.locator(".rejection-card textarea[name=text]").inputValue()).toStartWith(
      "Lighter ground.\n1. [must]",
    );
    await item.getByRole("button", { name: "Done" }).click();
    await page.getByText("Marked as done.").waitFor();
    expect(await item.count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });
});
