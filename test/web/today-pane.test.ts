/** The opened item on Today: what it shows, and its verdict in reach. */
import { describe, expect, test } from "bun:test";
import { noisyPng } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { until } from "../support/conditions.ts";

const desk = useReviewDesk();

describe.skipIf(!browserPath)("the opened item on Today", () => {
  test("shows what the library draws of pages and texts", async () => {
    const { upload } = desk.testServer;
    const ids = [];
    for (const [name, text] of [
      ["plan.html", "<h1>Harbor</h1>"],
      ["depths.csv", "berth,depth\nA 1,2.4\n"],
      ["report.md", "# Depths\n\nAll fine."],
    ] as const)
      ids.push((await upload(name, new TextEncoder().encode(text))).id);
    await using visitor = await desk.enter();
    const { page } = visitor;
    for (const id of ids) {
      await page.goto(`/?item=review-${id}`);
      const picture = page.locator("#today-opened .thumb img");
      await until(() => picture.evaluate((img) => (img as HTMLImageElement).naturalWidth > 0), "the picture");
    }
    expect(visitor.faults).toEqual([]);
  });

  test("has its verdict in sight, however tall its picture is", async () => {
    const { api, upload } = desk.testServer;
    const step = { kind: "step.usage", actor: "agent:codex", project: "atlas", summary: "Drew" };
    // A deployment with more events is not new, so its page does not begin with what to set up.
    await api("POST", "/events", { events: Array.from({ length: 60 }, () => step) });
    const { id } = await upload("tall.png", noisyPng(600, 2_400));
    for (const [width, height] of [
      [1440, 900],
      [1024, 768],
    ] as const) {
      await using visitor = await desk.enter();
      const { page } = visitor;
      await page.setViewportSize({ width, height });
      await page.goto(`/?item=review-${id}`);
      for (const name of ["Approve", "Reject"]) {
        const box = await page.locator("#verdict").getByRole("button", { name }).boundingBox();
        expect([name, width, box !== null && box.y + box.height <= height]).toEqual([name, width, true]);
      }
    }
  });

  test("takes a verdict that outlives its tab, before the scripts are there", async () => {
    const { id } = await desk.testServer.upload("early.png", noisyPng(40, 40));
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.route("**/today-stack.js", () => {}); // never there
    await page.goto(`/?item=review-${id}`, { waitUntil: "commit" });
    const approve = page.locator("#verdict").getByRole("button", { name: "Approve" });
    await approve.waitFor();
    const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().includes(id));
    await approve.click({ noWaitAfter: true });
    expect((await sent).resourceType()).toBe("fetch"); // of the page that is closed, by `keepalive`
    await page.close();
    await until(async () => (await desk.statusOf(id)) === "approved", "the verdict");
  });
});
