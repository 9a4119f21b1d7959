/** The page of a variant set in a real browser: by keyboard, by touch, and without scripts. */
import { describe, expect, test } from "bun:test";
import { setPath } from "../../src/memory/set-ref.ts";
import { noisyPng, png } from "../support/assets/media.ts";
import { openAxeSession, violationsOf } from "../support/browser/axe.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";

const desk = useReviewDesk();
const { enter, statusOf } = desk;

/** Uploads the variants of a set, in order. @returns their ids */
async function uploadSet(set: string, count: number): Promise<[string, string, string, ...string[]]> {
  const ids: string[] = [];
  for (let n = 1; n <= count; n++)
    ids.push((await desk.testServer.upload(`v${n}.png`, noisyPng(40 + n, 30), { set })).id);
  return ids as [string, string, string];
}
const statuses = (ids: readonly string[]) => Promise.all(ids.map(statusOf));
const brief = async (intent: string) => {
  const query = new URLSearchParams({ intent });
  return (await desk.testServer.api<{ text: string }>("GET", `/projects/atlas/brief?${query}`)).text;
};

describe.skipIf(!browserPath)("a variant set", () => {
  test("is picked from by keys, compared four at a time, and the rest is rejected with one note", async () => {
    const ids = await uploadSet("hero / 1", 6);
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto(setPath("atlas", "hero / 1"));
    await page.keyboard.press("2");
    await page.keyboard.press("ArrowRight");
    for (const key of ["ArrowRight", "ArrowRight", "Space", "ArrowRight", "Space", "ArrowRight", "Space"])
      await page.keyboard.press(key);
    await page.getByText("4 of 6 picked").waitFor();
    await page.keyboard.press("c");
    const compared = page.locator("[data-variant]");
    await compared.nth(3).waitFor();
    expect(
      await compared.evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.variant)),
    ).toEqual([ids[1], ids[2], ids[3], ids[4]] as string[]);
    await page.locator("[data-zoom-bar]").waitFor(); // shown by the script that zooms
    await page.keyboard.press("+");
    const scales = await page
      .locator("[data-zoom] img")
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).style.transform));
    expect([new Set(scales).size, scales[0]]).toEqual([1, expect.stringContaining("scale(1.5)")]);
    for (const key of ["1", "2", "4"]) await page.keyboard.press(key);
    await page.getByText("1 of 6 picked").waitFor();
    await page.keyboard.press("r");
    await page.keyboard.type("The horizon is crooked.");
    await page.keyboard.press("Enter");
    expect(await statuses(ids)).toEqual(Array(6).fill("pending"));
    await page.keyboard.press("Control+Enter");
    await page.getByText("What was picked over what").waitFor();
    const rest = ids.map((id) => (id === ids[3] ? "approved" : "rejected"));
    expect(await statuses(ids)).toEqual(rest);
    expect(await brief("draw the hero again")).toContain("The horizon is crooked.");
    expect(visitor.faults).toEqual([]);
  });

  test("is picked from without scripts, and says what is missing", async () => {
    const ids = await uploadSet("plain", 3);
    await using visitor = await enter({ javaScriptEnabled: false });
    const { page } = visitor;
    expect((await page.goto("/projects/atlas/sets/%FF"))?.status()).toBe(404);
    await page.goto(setPath("atlas", "plain"));
    await page.getByLabel("Pick v2.png").check();
    await page.getByRole("button", { name: "reject the rest" }).click();
    await page.getByRole("alert").getByText("Add a note").waitFor();
    expect(await page.getByLabel("Pick v2.png").isChecked()).toBe(true);
    await page.getByRole("button", { name: "Approve picked only" }).click();
    await page.getByText("3 variants: 2 pending, 1 approved").waitFor();
    expect(await statuses(ids)).toEqual(["pending", "approved", "pending"]);
  });

  test("says what it is for, in which run and by whom it was made, and is rejected as a whole with a note", async () => {
    const run_id = "01J9ZC5W8Q4T3M2N1K0H7G6F5E";
    const events = ["run.started", "run.finished"].map((kind) => ({
      ...{ project: "atlas", kind, actor: "agent:tern", run_id, issue: 12, summary: "Draw the berths" },
    }));
    await desk.testServer.api("POST", "/events", { events });
    const fields = { set: "whole", issue: "12", run_id };
    const ids: string[] = [];
    for (const name of ["v1.png", "v2.png"])
      ids.push((await desk.testServer.upload(name, png(20, 20 + ids.length), fields)).id);
    await using visitor = await enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(setPath("atlas", "whole"));
    const facts = page.locator(".set-facts");
    expect(await facts.getByRole("link", { name: "issue #12" }).getAttribute("href")).toBe(
      "/projects/atlas/issues/12",
    );
    expect(await facts.locator(`a[href*="${run_id}"]`).count()).toBe(1);
    await page.getByLabel("Pick v2.png").check();
    await page.getByRole("button", { name: "Reject all" }).click();
    await page.getByRole("alert").getByText("Add a note").waitFor();
    expect(await page.getByLabel("Pick v2.png").isChecked()).toBe(true);
    await page.getByLabel("Note").fill("Too dark.");
    await page.getByRole("button", { name: "Reject all" }).click();
    await page.getByText("2 variants: 2 rejected").waitFor();
    expect(await statuses(ids)).toEqual(["rejected", "rejected"]);
  });

  test("of 102 keeps the picks, by keys too, when its page is turned, and compares across pages", async () => {
    const ids = await uploadSet("large", 102);
    const { server, token } = desk.testServer;
    await using visitor = await openAxeSession(desk.browser, server.origin, token);
    const { page } = visitor;
    await page.goto(setPath("atlas", "large"));
    await page.keyboard.press("2");
    await page.getByText("1 of 102 picked").waitFor();
    await page.getByLabel("Note").fill("Too dark.");
    await page.getByRole("button", { name: "Page 2", exact: true }).click();
    await page.getByLabel("v2.png").waitFor();
    expect(await page.getByLabel("Note").inputValue()).toBe("Too dark.");
    const all = (keys: string[]) => keys;
    const checked = { light: all, dark: () => [], newElements: () => [], around: all };
    expect(await violationsOf(page, checked)).toEqual([]);
    await page.keyboard.press("2");
    await page.getByText("2 of 102 picked").waitFor();
    await page.getByRole("button", { name: /Compare/ }).click();
    await page.locator("[data-variant]").nth(1).waitFor();
    await page.keyboard.press("1");
    await page.getByText("1 of 102 picked").waitFor();
    await page.getByLabel("Note").fill("Too dark.");
    await page.getByRole("button", { name: "reject the rest" }).click();
    await page.getByText("102 variants: 101 rejected, 1 approved").waitFor();
    expect(await statusOf(ids[1])).toBe("approved");
  }, 60_000);

  test("reviewed by someone else meanwhile says so, and reviews the others", async () => {
    const ids = await uploadSet("busy", 3);
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto(setPath("atlas", "busy"));
    await desk.testServer.api("PUT", `/assets/${ids[0]}/review`, { decision: "rejected", note: "Mine." });
    await page.getByLabel("Pick v1.png").check();
    await page.getByLabel("Note").fill("Too flat.");
    await page.getByRole("button", { name: "reject the rest" }).click();
    await page.getByRole("alert").waitFor();
    expect(await statuses(ids)).toEqual(["rejected", "rejected", "rejected"]);
  });

  test("is picked from by touch on a phone, and axe finds nothing", async () => {
    const ids = await uploadSet("touch", 4);
    const { server, token } = desk.testServer;
    await using visitor = await openAxeSession(desk.browser, server.origin, token);
    await visitor.page.goto(`${setPath("atlas", "touch")}?compare=${ids[0]},${ids[1]}`);
    const all = (keys: string[]) => keys;
    const checked = { light: all, dark: all, newElements: all, around: all };
    expect(await violationsOf(visitor.page, checked)).toEqual([]);
    await using phone = await enter({ hasTouch: true, viewport: { width: 390, height: 800 } });
    const { page } = phone;
    await page.goto(setPath("atlas", "touch"));
    await page.locator(".pick").nth(2).tap();
    await page.getByText("1 of 4 picked").waitFor();
    await page.getByLabel("Note").fill("Too flat.");
    await page.getByRole("button", { name: "reject the rest" }).tap();
    await page.getByText("What was picked over what").waitFor();
    expect(await statuses(ids)).toEqual(["rejected", "rejected", "approved", "rejected"]);
  });

  test("offers no pick of variants to their maker under a policy, and picks of the others", async () => {
    const { testServer } = desk;
    await testServer.api("PUT", "/projects/atlas/review-policies/image", {
      need: [{ role: "admin", count: 1 }],
    });
    const own = await uploadSet("own", 2);
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto(`${setPath("atlas", "own")}?compare=${own.join()}`);
    await page.getByText("You made these variants: someone else picks from them.").waitFor();
    expect(await page.locator(".pick, [data-variant] label").count()).toBe(0);
    expect(await page.locator(".bulk button").filter({ visible: true }).allTextContents()).toEqual([
      "Reject all",
    ]);
    await page.goto("/review?project=atlas&set=own");
    expect(await page.locator("[data-own]").count()).toBe(2);
    expect(await page.locator("[data-own] .pick").count()).toBe(0);

    const maker = await testServer.mint("codex", ["assets:write"]);
    const body = new FormData();
    for (const [name, value] of Object.entries({ project: "atlas", set: "own" })) body.append(name, value);
    body.append("file", new File([png(9, 9) as BlobPart], "v3.png"));
    const headers = { authorization: `Bearer ${maker}` };
    await fetch(`${testServer.server.origin}/api/v1/assets`, { method: "POST", headers, body });
    await page.goto(setPath("atlas", "own"));
    expect(await page.locator(".pick").allTextContents()).toEqual([" Pick v3.png"]);
    expect(visitor.faults).toEqual([]);
    await testServer.api("PUT", "/projects/atlas/review-policies/image", { need: [] });
  });
});
