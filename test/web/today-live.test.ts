/** Today in a browser: the keyboard, and what happens while it is open. */
import { describe, expect, test } from "bun:test";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { until } from "../support/harness.ts";

const desk = useReviewDesk();

const fail = (summary: string) =>
  desk.testServer.api("POST", "/events", {
    events: [{ kind: "run.failed", actor: "agent:codex", project: "atlas", summary }],
  });

describe.skipIf(!browserPath)("today", () => {
  test("leads with J and Enter to the desk, and on with J and K", async () => {
    const [oldest] = await desk.uploads(81, "one.png", "two.png");
    await fail("No berths");
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/");
    const focused = () => page.evaluate("document.activeElement.textContent");
    const seen: unknown[] = [];
    for (const key of ["j", "j", "k"]) {
      await page.keyboard.press(key);
      seen.push(await focused());
    }
    expect(seen).toEqual(["two.png", "one.png", "two.png"]);
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/assets/${oldest}?project=atlas`);
    expect(visitor.faults).toEqual([]);
  });

  test("follows the feed: its sections, the counts in the tab, and what is marked as read", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/");
    await page.locator("#live[data-state=live]").waitFor();
    const iconOf = () => page.locator('link[rel="icon"]').getAttribute("href");
    const [before, icon] = [await page.title(), await iconOf()];
    await fail("The tide is out");
    await page.locator("#today-needs").getByText("The tide is out").first().waitFor();
    await until(
      async () => (await page.title()) !== before && (await iconOf()) !== icon,
      "the tab counts it",
    );
    await page.getByRole("button", { name: "Mark all as read" }).click();
    await page.waitForURL("**/");
    expect(visitor.faults).toEqual([]);
  });

  test("is whole without scripts, on a phone", async () => {
    await fail("No wind");
    await using visitor = await desk.enter({
      ...{ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, javaScriptEnabled: false },
    });
    const { page } = visitor;
    await page.goto("/");
    expect(await page.title()).toMatch(/^\(\d+\) Today · svc$/);
    expect(await page.locator("#today-needs").getByText("No wind").first().isVisible()).toBe(true);
    await page.getByRole("button", { name: "Mark all as read" }).tap();
    await page.locator("#today-needs a[data-item]").first().tap();
    await page.waitForURL(/\/assets\/\w+\?project=atlas$/);
    expect(visitor.faults).toEqual([]);
  });
});
