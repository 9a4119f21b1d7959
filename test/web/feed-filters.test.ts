/** The filters of the feed in a real browser: several values, applied on every change. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { browserPath, tabTo } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { until } from "../support/harness.ts";

const desk = useReviewDesk();
const { enter } = desk;
const say = (summary: string, fields: object) =>
  desk.testServer.api("POST", "/events", {
    events: [{ kind: "run.started", actor: "agent:codex", project: "atlas", summary, ...fields }],
  });
const shown = async (page: Page) =>
  (await page.locator(".event .what").allInnerTexts()).map((text) => text.replace(/\s*Redact…$/, ""));
const isLive = (page: Page) => page.locator("#live[data-state=live]").waitFor();

describe.skipIf(!browserPath)("the filters of the feed page", () => {
  test("take several values, apply immediately without leaving the page, and stay live", async () => {
    const actor = "bot:filters";
    for (const kind of ["run.started", "run.failed", "pr.opened"]) await say(`A ${kind}`, { kind, actor });
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto(`/?actor=${actor}`);
    await isLive(page);
    const menu = page.locator("summary", { hasText: "Kind" });
    await tabTo(page, menu);
    await page.keyboard.press("Enter");
    await tabTo(page, page.getByLabel("Run failed"));
    await page.keyboard.press("Space");
    await until(async () => (await shown(page)).join() === "A run.failed", "one kind is shown");
    await tabTo(page, page.getByLabel("Pull request opened"));
    await page.keyboard.press("Space");
    await page.waitForURL(`**/feed?kind=run.failed,pr.opened&actor=filters`);
    expect(await shown(page)).toEqual(["A pr.opened", "A run.failed"]);
    expect(await menu.textContent()).toMatch(/2 selected$/);
    await page.keyboard.press("Escape");
    expect(await page.getByLabel("Run failed").isVisible()).toBe(false);
    await isLive(page);
    await say("Started later", { actor });
    await say("Failed later", { kind: "run.failed", actor });
    await page.getByText("Failed later").waitFor();
    expect(await shown(page)).toEqual(["Failed later", "A pr.opened", "A run.failed"]);
    await page.evaluate("window.isSamePage = true");
    await page.evaluate("location.hash = 'content'");
    expect(await page.evaluate("window.isSamePage")).toBe(true);
    await page.goBack();
    expect(await shown(page)).toEqual(["Failed later", "A pr.opened", "A run.failed"]);
    await page.goBack();
    await page.getByText("A pr.opened").waitFor({ state: "detached" });
    await page.getByText("Failed later").waitFor();
    expect(await shown(page)).toEqual(["Failed later", "A run.failed"]);
    expect(await page.getByLabel("Pull request opened").isChecked()).toBe(false);
    await page.getByRole("link", { name: "Clear all" }).click();
    await page.waitForURL((url) => url.search === "");
    expect(visitor.faults).toEqual([]);
  });

  test("take any form of an actor's name, for events that come in later too", async () => {
    for (const kind of ["agent", "bot"]) await say(`Of the ${kind}`, { actor: `${kind}:mira` });
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto("/feed?view=events&actor=token:mira");
    await isLive(page);
    await say("Of another", { actor: "agent:zoe" });
    await say("Later", { actor: "bot:mira" });
    await page.getByText("Later").waitFor();
    expect((await shown(page)).sort()).toEqual(["Later", "Of the agent", "Of the bot"]);
    expect(await page.locator("[data-chosen=actor]").textContent()).toBe("mira");
    expect(visitor.faults).toEqual([]);
  });

  test("without scripts are a form with a button", async () => {
    await using visitor = await enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto("/feed?actor=bot:filters");
    await page.locator("summary", { hasText: "Kind" }).click();
    await page.getByLabel("Run failed").check();
    await page.getByLabel("Pull request opened").check();
    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL(/kind=run\.failed&kind=pr\.opened/);
    expect(await shown(page)).toEqual(["Failed later", "A pr.opened", "A run.failed"]);
  });
});
