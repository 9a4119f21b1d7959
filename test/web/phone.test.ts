/** The review on a phone: a small screen, fingers, and no keyboard. */
import { describe, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { noisyPng } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { must, until } from "../support/harness.ts";

const desk = useReviewDesk();
const viewport = { width: 390, height: 844 };
const phone = { viewport, hasTouch: true, isMobile: true };

/** Whether an element is on the screen as a whole, and large enough for a finger (WCAG 2.5.5). */
async function isInReach(target: Locator): Promise<boolean> {
  const { x, y, width, height } = must(await target.boundingBox());
  return x >= 0 && y >= 0 && x + width <= 390 && y + height <= 844 && width >= 44 && height >= 44;
}

describe.skipIf(!browserPath)("a review on a phone", () => {
  test("goes from the project to the last pending asset, with Approve and Reject always in reach", async () => {
    const [one, two] = await desk.uploads(61, "one.png", "two.png");
    const next = await desk.testServer.upload("two.png", noisyPng(900, 1600), {
      issue: "61",
      replaces: must(two),
    });
    await using visitor = await desk.enter(phone);
    const { page } = visitor;
    const [approve, reject] = ["Approve", "Reject"].map((name) => page.getByRole("button", { name })) as [
      Locator,
      Locator,
    ];
    await page.goto("/projects/atlas");
    await page.getByRole("link", { name: "Review 2 pending" }).tap();
    await page.waitForURL(`**/assets/${next.id}?project=atlas`);
    expect(await page.getByRole("figure").count()).toBe(2); // compared with version 1
    for (const scroll of ["0", "document.body.scrollHeight"]) {
      await page.evaluate(`scrollTo(0, ${scroll})`);
      expect([scroll, await isInReach(approve), await isInReach(reject)]).toEqual([scroll, true, true]);
    }
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    const navigation = page.getByRole("navigation", { name: "Main" });
    expect(await navigation.evaluate((nav) => nav.scrollWidth - nav.clientWidth)).toBe(0);
    await page.evaluate("scrollTo(0, 0)");
    await reject.tap();
    await page.locator("#toast").getByText("Add a note explaining what to change.").waitFor();
    const note = page.getByLabel("Note");
    expect(await note.and(page.locator(":focus")).count()).toBe(1);
    await page.keyboard.insertText("Less noise.");
    await reject.tap();
    await page.waitForURL(`**/assets/${one}?project=atlas`);
    await page.getByRole("button", { name: "Undo" }).tap();
    await page.waitForURL(`**/assets/${next.id}?project=atlas`);
    await approve.tap();
    await page.waitForURL(`**/assets/${one}?project=atlas`);
    const undo = must(await page.getByRole("button", { name: "Undo" }).boundingBox());
    expect(undo.y + undo.height).toBeLessThan(must(await approve.boundingBox()).y);
    await approve.tap();
    await page.getByText("one.png: approved.").waitFor();
    await page.getByRole("link", { name: "Feed" }).tap();
    await page.getByText("Approved one.png, version 1").first().waitFor();
    await until(async () => (await desk.statusOf(next.id)) === "approved", "both are written");
    expect(visitor.faults).toEqual([]);
  });

  test("works without scripts, and its buttons are not in the way where nothing is pending", async () => {
    const [id] = await desk.uploads(62, "plain.png");
    await using visitor = await desk.enter({ ...phone, javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(`/assets/${id}?issue=62`);
    const approve = page.getByRole("button", { name: "Approve" });
    expect(await isInReach(approve)).toBe(true);
    await approve.tap();
    await page.getByRole("status").getByText("is now approved").waitFor();
    await page.goto(`/assets/${id}`);
    expect(await page.getByRole("button", { name: "Reject" }).isVisible()).toBe(false);
    await page.getByText("Change review").tap();
    expect(
      await page
        .locator(".buttons")
        .first()
        .evaluate((one) => getComputedStyle(one).position),
    ).toBe("static");
  });

  test("gives every control 44 px and shows no keys, from the navigation to the settings", async () => {
    const [id] = await desk.uploads(63, "small.png");
    await desk.testServer.upload("hero.png", noisyPng(40, 30), { issue: "63", set: "hero" });
    await using visitor = await desk.enter(phone);
    const { page } = visitor;
    const pages = [
      ...["/", "/tasks", "/assets", "/review", "/projects/atlas/sets/hero", `/assets/${id}`],
      ...["/settings", "/settings/tokens", "/settings/offboard"],
    ];
    for (const path of pages) {
      await page.goto(path);
      expect([path, ...(await page.evaluate(tooSmall))]).toEqual([path]);
      expect([path, await page.locator(":is(a, button, label, form, dl) kbd:visible").count()]).toEqual([
        path,
        0,
      ]);
      expect([path, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([path, 390]);
    }
  });
});

/**
 * The controls that are lower than 44 px (WCAG 2.5.5), a checkbox than 24 (2.5.8), if their label is no larger.
 * Links in a text or a list have the height of their line.
 */
function tooSmall(): string[] {
  const controls = "nav a, .button, button, select, summary, input:not([type=hidden])";
  return [...document.querySelectorAll(controls)].flatMap((control) => {
    const target = control.matches("[type=checkbox], [type=radio]")
      ? (control.closest("label") ?? control)
      : control;
    const { width, height } = target.getBoundingClientRect();
    const least = target.matches("[type=checkbox]") ? 24 : 44;
    const isHidden = width <= 1 || !control.checkVisibility({ visibilityProperty: true });
    return isHidden || height >= least ? [] : [`${target.outerHTML.slice(0, 80)}: ${height} px`];
  });
}
