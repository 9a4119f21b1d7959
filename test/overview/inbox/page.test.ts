/** The inbox in a browser: its page, its count on every page, and without scripts. */
import { describe, expect, test } from "bun:test";
import { browserPath } from "../../support/browser/browser.ts";
import { useReviewDesk } from "../../support/browser/review-desk.ts";
import { until } from "../../support/harness.ts";

const desk = useReviewDesk();

const fail = (summary: string) =>
  desk.testServer.api("POST", "/events", {
    events: [{ kind: "run.failed", actor: "agent:codex", project: "atlas", summary }],
  });

describe.skipIf(!browserPath)("the inbox", () => {
  test("leads to what to do, marks it as done with an undo, and snoozes it in the visitor's zone", async () => {
    await desk.uploads(91, "one.png");
    await fail("No berths");
    await using visitor = await desk.enter({ timezoneId: "Asia/Tokyo" });
    const { page } = visitor;
    await page.goto("/inbox");
    const item = page.locator(".inbox-items > li", { hasText: "No berths" });
    const count = async () => Number(await page.locator("#inbox-count").textContent());
    const before = await count();
    expect(await page.title()).toBe(`(${before}) Inbox · svc`);
    await item.getByRole("button", { name: /^Done/ }).click();
    await page.getByText("Marked as done.").waitFor();
    expect([await item.count(), await count()]).toEqual([0, before - 1]);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.waitForURL("**/inbox");
    expect(await count()).toBe(before);
    await item.locator("summary").click();
    await page.keyboard.press("Escape");
    expect(await item.locator("summary").evaluate((node) => document.activeElement === node)).toBe(true);
    await page.keyboard.press("Enter");
    await item.getByRole("button", { name: "Tomorrow, 9:00" }).click();
    await page.getByText(/^Snoozed until .* 09:00\.$/).waitFor();
    await page.getByText("Snoozed: 1.").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test("follows the feed: its items, the count of each page, and the tab", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/inbox");
    await page.locator("#live[data-state=live]").waitFor();
    const [title, shown] = [await page.title(), await page.locator("#inbox-count").textContent()];
    await fail("The tide is out");
    await page.getByRole("link", { name: "The tide is out", exact: true }).waitFor();
    await until(async () => (await page.title()) !== title, "the tab counts it");
    expect(await page.locator("#inbox-count").textContent()).not.toBe(shown);
    await page.keyboard.press("j");
    expect(await page.evaluate("document.activeElement.matches('.inbox-items a')")).toBe(true);
    await page.goto("/docs");
    expect(Number(await page.locator("#inbox-count").textContent())).toBeGreaterThan(0);
    expect(visitor.faults).toEqual([]);
  });

  test("is whole without scripts, on a phone, and the bar keeps its layout whatever the count", async () => {
    await fail("No wind");
    await using visitor = await desk.enter({
      ...{ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, javaScriptEnabled: false },
    });
    const { page } = visitor;
    await page.goto("/inbox");
    const item = page.locator(".inbox-items > li", { hasText: "No wind" });
    const place = () => page.locator(".inbox-link").boundingBox();
    const before = await place();
    await item.getByText(/^Snooze/).tap();
    await item.getByRole("button", { name: "1 hour" }).tap();
    await page.getByText("Snoozed until").waitFor();
    expect([await item.count(), await place()]).toEqual([0, before]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    expect(visitor.faults).toEqual([]);
  });
});
