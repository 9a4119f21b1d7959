/** Runs in the feed: one line each, which opens and moves; every event has its own line on request. */
import { describe, expect, test } from "bun:test";
import { noisyPng } from "../support/assets/media.ts";
import { browserPath, tabTo } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";

const desk = useReviewDesk();
const { enter } = desk;
const ofRun = (run_id: string, kind: string, summary: string) => ({
  ...{ run_id, kind, summary, actor: "agent:codex", project: "atlas", issue: 7 },
});
const send = (...events: object[]) => desk.testServer.api("POST", "/events", { events });
const other = (summary: string) => ({ kind: "pr.opened", actor: "human:mara", project: "atlas", summary });

describe.skipIf(!browserPath)("runs in the feed", () => {
  test("are one line that opens to what they made and their last steps, and moves with each event", async () => {
    await send(ofRun("one", "run.started", "Began one"), ofRun("one", "step.usage", "Read the map"));
    await send(ofRun("two", "run.started", "Began two"), other("A quieter map"));
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto("/feed");
    await page.locator("#live[data-state=live]").waitFor();
    const summaries = () => page.locator(".event .event-summary").allTextContents();
    expect(await summaries()).toEqual(["A quieter map", "Run of codex", "Run of codex"]);
    const line = page.locator('.event[data-id="run atlas one"]');
    await tabTo(page, line.locator("summary"));
    await page.keyboard.press("Enter");
    await line.getByText("Began one").waitFor();
    await desk.testServer.upload("harbor.png", noisyPng(60, 60), { issue: "7", run_id: "one" });
    await line.locator(".run-thumbs img").waitFor();
    await send({ ...ofRun("one", "run.finished", "Ended one"), duration_ms: 95_000, cost_equiv: 1 });
    await line.getByText("2 min · $1.00 · 1 step · 1 asset").waitFor();
    expect(await summaries()).toEqual([
      "1 asset by codex",
      "Uploaded harbor.png, version 1",
      "A quieter map",
      "Run of codex",
    ]);
    expect(await line.locator(".facts").textContent()).toStartWith("Ended one · ");
    expect(await line.locator("details").getAttribute("open")).not.toBeNull();
    await line.locator("summary:focus").waitFor();
    await line.locator("a.kind").click();
    await page.locator("#run-summary").getByText("Ended one").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test("are single events with view=events, and when a filter selects events", async () => {
    await using visitor = await enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto("/feed");
    const kinds = page.locator(".event .kind");
    expect(await kinds.getByText("Step of a run").count()).toBe(0);
    await page.getByRole("link", { name: "Events", exact: true }).click();
    expect(await kinds.getByText("Step of a run").count()).toBe(1);
    await page.goto("/feed?kind=run.started");
    expect(await kinds.allTextContents()).toEqual(["Run started", "Run started"]);
    expect(await page.getByText("These filters select single events").count()).toBe(1);
    await page.getByRole("link", { name: "Runs", exact: true }).click();
    expect(new URL(page.url()).search).toBe("");
  });

  test("lose no step that belongs to no run", async () => {
    await send({ kind: "step.usage", actor: "agent:stray", project: "atlas", summary: "A step alone" });
    await using visitor = await enter({ javaScriptEnabled: false });
    for (const path of ["/feed", "/feed?actor=agent:stray", "/projects/atlas"]) {
      await visitor.page.goto(path);
      expect([path, await visitor.page.getByText("A step alone").count()]).toEqual([path, 1]);
    }
  });
});
