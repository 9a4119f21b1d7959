/**
 * The review desk in a real browser: undoable reviews, bulk reviews, viewers of every kind, comparisons.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { Asset, AssetDetail } from "../../src/assets/schema.ts";
import { allScopes } from "../../src/auth/scopes.ts";
import {
  type BrowserSessionOptions,
  browserPath,
  openBrowser,
  openBrowserSession,
} from "../support/browser.ts";
import { must, until } from "../support/harness.ts";
import { mp4, noisyPng, png, wav } from "../support/media.ts";
import { openSession, openTestServer, type TestServer } from "../support/test-server.ts";

let browser: Browser;
let house: TestServer;
beforeAll(async () => {
  if (!browserPath) return;
  [browser, house] = await Promise.all([openBrowser(), openTestServer()]);
});
afterAll(async () => {
  await house?.[Symbol.asyncDispose]();
  await browser?.close();
});

/** A signed- in visitor. */
const enter = async (options: BrowserSessionOptions = {}) =>
  openBrowserSession(browser, house.server.origin, { cookies: await house.session(), ...options });
const assetOf = (id: string) => house.api<AssetDetail>("GET", `/assets/${id}`);
const statusOf = async (id: string) => (await assetOf(id)).status;
/** Assets of their own issue, so that the filtered queue holds nothing else. */
const uploads = async (issue: number, ...names: string[]) => {
  const list: string[] = [];
  for (const name of names)
    list.push((await house.upload(name, png(8 + list.length, 8), { issue: String(issue) })).id);
  return list as [string, ...string[]];
};
/** Installs a fake clock, so that the test does not depend on the speed of the machine. */
async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1_000);
}
const toast = (page: Page, text: string | RegExp) => page.locator("#toast").getByText(text).waitFor();

describe.skipIf(!browserPath)("a review", () => {
  test("is saved ten seconds after the decision, not before, whichever asset is open by then", async () => {
    const [first, second] = (await uploads(1, "one.png", "two.png")).toReversed() as [string, string];
    await using visitor = await enter();
    const { page } = visitor;
    await stopClock(page);
    await page.goto(`/assets/${first}?issue=1`);
    await page.keyboard.press("a");
    await page.waitForURL(`**/assets/${second}?issue=1`);
    await toast(page, "two.png: approved.");
    await page.clock.runFor(8_000);
    expect(await statusOf(first)).toBe("pending");
    expect(visitor.requests.filter((one) => one.startsWith("PUT"))).toEqual([]);
    await page.clock.runFor(3_000);
    await until(async () => (await statusOf(first)) === "approved", "it is written");
    expect(await assetOf(first)).toMatchObject({ reviewed_by: "human:ana", review_note: null });
    expect(visitor.faults).toEqual([]);
  });

  test("is undone by U, on the page it was made on, without a trace", async () => {
    const [first, second] = (await uploads(2, "one.png", "two.png")).toReversed() as [string, string];
    await using visitor = await enter();
    const { page } = visitor;
    await stopClock(page);
    await page.goto(`/assets/${first}?issue=2`);
    await page.keyboard.press("r");
    await page.keyboard.type("Too dark.");
    await page.keyboard.press("Control+Enter");
    await page.waitForURL(`**/assets/${second}?issue=2`);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.waitForURL(`**/assets/${first}?issue=2`);
    await page.clock.runFor(15_000);
    await page.getByRole("link", { name: "Feed" }).click();
    await page.getByText("Uploaded two.png, version 1").first().waitFor();
    expect(visitor.requests.filter((one) => one.startsWith("PUT"))).toEqual([]);
    expect([await statusOf(first), await statusOf(second)]).toEqual(["pending", "pending"]);
  });

  test("is saved immediately when the reviewer leaves the page, like all unsent reviews", async () => {
    const ids = (await uploads(3, "one.png", "two.png", "three.png")).toReversed() as [
      string,
      string,
      string,
    ];
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto(`/assets/${ids[0]}?issue=3`);
    await page.keyboard.press("a");
    await page.waitForURL(`**/assets/${ids[1]}?issue=3`);
    await page.keyboard.press("a");
    await page.waitForURL(`**/assets/${ids[2]}?issue=3`);
    expect([await statusOf(ids[0]), await statusOf(ids[1])]).toEqual(["pending", "pending"]);
    await page.close();
    await until(
      async () => (await statusOf(ids[0])) === "approved" && (await statusOf(ids[1])) === "approved",
      "both are written",
    );
    expect(await statusOf(ids[2])).toBe("pending");
  });

  test("of a file that changed since the page was opened is rejected, with a message", async () => {
    const [id] = await uploads(4, "old.png");
    await using visitor = await enter();
    const { page } = visitor;
    await stopClock(page);
    await page.goto(`/assets/${id}?issue=4`);
    await house.upload("new.png", noisyPng(8, 8), { issue: "4", replaces: id });
    await page.keyboard.press("a");
    await page.clock.runFor(11_000);
    await toast(page, /^old\.png was not approved: /);
    expect(await statusOf(id)).toBe("superseded");
  });

  test("needs a note to reject, and the form says where the note goes", async () => {
    const [id] = await uploads(5, "flat.png");
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}?issue=5`);
    await page.getByRole("button", { name: /^Reject/ }).click();
    await toast(page, "Add a note explaining what to change.");
    expect(await page.locator("#note-goes").textContent()).toBe(
      "To reject, add a note explaining what to change. It becomes a decision of atlas and part of the next brief.",
    );
    await page.getByRole("link", { name: "Feed" }).click();
    await page.getByText("Uploaded flat.png, version 1").first().waitFor();
    expect(await statusOf(id)).toBe("pending");
  });

  test("that was made collapses the form; R opens it again, and a new review replaces the first", async () => {
    const [id] = await uploads(8, "done.png");
    await house.api("PUT", `/assets/${id}/review`, { decision: "approved" });
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}?issue=8`);
    expect(await page.getByLabel("Note").isVisible()).toBe(false);
    await page.keyboard.press("r");
    await page.keyboard.type("On second thoughts, no.");
    await page.keyboard.press("Control+Enter");
    await toast(page, "done.png: rejected.");
    await page.getByRole("link", { name: "Feed" }).click();
    await page.getByText("Rejected done.png, version 1").first().waitFor();
    expect(await assetOf(id)).toMatchObject({ status: "rejected", review_note: "On second thoughts, no." });
  });

  test("of several assets is sent one at a time; failures are named", async () => {
    const ids = await uploads(6, "one.png", "two.png", "three.png");
    await using visitor = await enter();
    const { page } = visitor;
    await stopClock(page);
    await page.goto("/assets?status=pending&issue=6");
    await page.locator(".choice").first().click();
    await page.getByRole("button", { name: "Select all pending" }).click();
    await page.getByText("3 selected").waitFor();
    await page.locator("#bulk").getByLabel("Note").fill("Nobody can read them.");
    await house.upload("two-again.png", noisyPng(9, 9), { issue: "6", replaces: must(ids[1]) });
    await page.locator("#bulk").getByRole("button", { name: "Reject" }).click();
    await toast(page, "3 rejected.");
    await page.clock.runFor(8_000);
    expect(await Promise.all(ids.map(statusOf))).toEqual(["pending", "superseded", "pending"]);
    await page.clock.runFor(3_000);
    await toast(page, /^2 rejected\. two\.png was not rejected: /);
    expect(await Promise.all(ids.map(statusOf))).toEqual(["rejected", "superseded", "rejected"]);
    expect((await assetOf(ids[0])).review_note).toBe("Nobody can read them.");
    const sent = visitor.requests.filter((one) => one.startsWith("PUT"));
    expect(sent.length).toBe(3);
    await until(async () => (await page.locator(".tile").count()) === 1, "the list shows what is left");
    expect(visitor.faults).toEqual([]);
  });

  test("without scripts is a form: saved immediately, and the next asset follows with a notice", async () => {
    const [first, second] = (await uploads(7, "one.png", "two.png")).toReversed() as [string, string];
    await using visitor = await enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(`/assets/${first}?issue=7`);
    await page.getByLabel("Note").fill("Line one\nLine two");
    await page.getByRole("button", { name: /^Reject/ }).click();
    await page.waitForURL(`**/assets/${second}?issue=7&reviewed=${first}`);
    expect(await page.getByRole("status").first().textContent()).toBe("two.png, version 1, is now rejected.");
    expect((await assetOf(first)).review_note).toBe("Line one\nLine two");
    await page.getByRole("button", { name: /^Approve/ }).click();
    await page.waitForURL(`**/assets?issue=7&reviewed=${second}`);
    expect(await statusOf(second)).toBe("approved");
    await page.getByRole("link", { name: "one.png" }).first().click();
    await page.getByRole("button", { name: "Publish" }).click();
    await page.getByText("Permanent URL").waitFor();
    const ofScripts = page.locator(".choice, .toolbar, [data-copy], button kbd").filter({ visible: true });
    expect(await ofScripts.count()).toBe(0);
    const old = await house.upload("old.png", png(20, 20), { issue: "7" });
    const young = await house.upload("young.png", noisyPng(20, 20), { issue: "7", replaces: old.id });
    await page.goto(`/assets/${young.id}?with=${old.id}&mode=wipe`);
    expect([await page.locator("#over img").count(), await ofScripts.count()]).toEqual([2, 0]);
  });
});

const zoe = { decision: "rejected", note: "Too dark.", by: "human:zoe" };

describe.skipIf(!browserPath)("reviews by two reviewers", () => {
  test("conflict if the page was opened before the other review; the note is kept for another attempt", async () => {
    const [id] = await uploads(20, "shared.png");
    await using visitor = await enter();
    const { page } = visitor;
    await stopClock(page);
    await page.goto(`/assets/${id}?issue=20`);
    await house.api("PUT", `/assets/${id}/review`, zoe);
    await page.keyboard.press("r");
    await page.keyboard.type("The logo is cut off.");
    await page.keyboard.press("Control+Enter");
    await page.clock.runFor(11_000);
    await toast(
      page,
      /^shared\.png was not rejected: human:zoe rejected this asset at .* UTC, after you opened it\./,
    );
    expect(await assetOf(id)).toMatchObject({ reviewed_by: "human:zoe", review_note: "Too dark." });
    await page.getByRole("link", { name: "Open asset" }).click();
    await page.getByText("Too dark.", { exact: true }).waitFor();
    expect(await page.getByLabel("Note").inputValue()).toBe("The logo is cut off.");
    await page.getByRole("button", { name: /^Reject/ }).click();
    await page.clock.runFor(11_000);
    await until(
      async () => (await assetOf(id)).review_note === "The logo is cut off.",
      "the second try is written",
    );
    await page.goto(`/assets/${id}?issue=20`);
    expect(await page.getByLabel("Note").inputValue()).toBe("");
    expect(visitor.faults.filter((one) => !one.includes("409"))).toEqual([]);
  });

  test("in bulk do not overwrite assets that another reviewer has reviewed since", async () => {
    const ids = await uploads(21, "one.png", "two.png");
    await using visitor = await enter();
    const { page } = visitor;
    await stopClock(page);
    await page.goto("/assets?status=pending&issue=21");
    await page.locator(".choice").first().click();
    await page.getByRole("button", { name: "Select all pending" }).click();
    await house.api("PUT", `/assets/${ids[1]}/review`, zoe);
    await page.locator("#bulk").getByRole("button", { name: "Approve" }).click();
    await page.clock.runFor(11_000);
    await toast(page, /^one\.png: approved\. two\.png was not approved: human:zoe rejected /);
    expect(await Promise.all(ids.map(statusOf))).toEqual(["approved", "rejected"]);
  });

  test("without scripts show the desk again, with the other review and the note in the form", async () => {
    const [id] = await uploads(22, "form.png");
    await using visitor = await enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(`/assets/${id}?issue=22`);
    await house.api("PUT", `/assets/${id}/review`, zoe);
    await page.getByLabel("Note").fill("\nThe logo is cut off.\n<b>Both</b> times.");
    const [response] = await Promise.all([
      page.waitForResponse(/\/review/),
      page.getByRole("button", { name: /^Reject/ }).click(),
    ]);
    expect(response.status()).toBe(409);
    expect(await page.getByRole("alert").textContent()).toMatch(
      /^human:zoe rejected this asset at .* UTC, after you opened it\./,
    );
    expect(await page.getByLabel("Note").inputValue()).toBe("The logo is cut off.\n<b>Both</b> times.");
    await page.getByRole("button", { name: /^Reject/ }).click();
    await page.waitForURL(/reviewed=/);
    expect(await assetOf(id)).toMatchObject({
      reviewed_by: "human:ana",
      review_note: "The logo is cut off.\n<b>Both</b> times.",
    });
    // A note that is missing is told in the same place.
    const [other] = await uploads(23, "noteless.png");
    await page.goto(`/assets/${other}?issue=23`);
    await page.getByRole("button", { name: /^Reject/ }).click();
    expect(await page.getByRole("alert").textContent()).toContain("note is required to reject");
  });
});

describe.skipIf(!browserPath)("an unsent review", () => {
  /** A visitor with a session of its own, which the test ends. */
  const enterAlone = async () => enter({ cookies: await openSession(house.server.origin, house.token) });

  test("is saved before the reviewer is signed out", async () => {
    const ids = (await uploads(30, "one.png", "two.png", "three.png")).toReversed() as [
      string,
      string,
      string,
    ];
    await using visitor = await enterAlone();
    const { page } = visitor;
    await page.route("**/web/assets/*/review", async (route) => {
      await Bun.sleep(200); // longer than a sign-out takes
      await route.continue();
    });
    await page.goto(`/assets/${ids[0]}?issue=30`);
    await page.keyboard.press("a");
    await page.waitForURL(`**/assets/${ids[1]}?issue=30`);
    await page.keyboard.press("a");
    await page.waitForURL(`**/assets/${ids[2]}?issue=30`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    expect(await Promise.all(ids.map(statusOf))).toEqual(["approved", "approved", "pending"]);
    const writes = visitor.requests.filter((one) => /^(PUT|POST)/.test(one)).map((one) => one.split(" ")[0]);
    expect(writes).toEqual(["PUT", "PUT", "POST"]);
  });

  test("that is rejected keeps the reviewer signed in until the error was shown", async () => {
    const [id] = await uploads(31, "late.png");
    await using visitor = await enterAlone();
    const { page } = visitor;
    await page.goto(`/assets/${id}?issue=31`);
    await house.api("PUT", `/assets/${id}/review`, zoe);
    await page.keyboard.press("a");
    await page.getByRole("button", { name: "Sign out" }).click();
    await toast(page, /^late\.png was not approved: human:zoe rejected /);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
  });

  test("survives the end of the session, with a message, and is saved after the next sign-in", async () => {
    const [id] = await uploads(32, "ended.png");
    await using visitor = await enterAlone();
    const { page, context } = visitor;
    await stopClock(page);
    await page.goto(`/assets/${id}?issue=32`);
    await page.keyboard.press("r");
    await page.keyboard.type("Too dark.");
    await page.keyboard.press("Control+Enter");
    await context.clearCookies();
    await page.clock.runFor(11_000);
    await toast(page, "Your session has ended. Sign in again to send your review.");
    expect(await statusOf(id)).toBe("pending");
    await page.locator("#toast").getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Token").fill(house.token);
    await page.locator("main").getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`**/assets/${id}?issue=32`);
    await page.clock.runFor(1_000);
    await until(async () => (await assetOf(id)).review_note === "Too dark.", "it is written");
  });

  test("is not sent with another token's session", async () => {
    const [id] = await uploads(33, "whose.png");
    await using visitor = await enterAlone();
    const { page, context } = visitor;
    await stopClock(page);
    await page.goto(`/assets/${id}?issue=33`);
    await page.keyboard.press("a");
    await context.clearCookies();
    await page.clock.runFor(11_000);
    await toast(page, /^Your session has ended/);
    await context.addCookies(await openSession(house.server.origin, await house.mint("bob", allScopes)));
    await page
      .locator("#toast")
      .getByRole("link", { name: "Sign in" })
      .evaluate((link) => ((link as HTMLAnchorElement).href = location.href));
    await page.locator("#toast").getByRole("link", { name: "Sign in" }).click();
    await toast(page, "A review by ana was not sent: whose.png, approved. Sign in as ana to send it.");
    await page.clock.runFor(11_000);
    expect(await statusOf(id)).toBe("pending");
  });

  test("that was sent on leaving the page with an expired session is saved after the next sign-in", async () => {
    const [id] = await uploads(34, "left.png");
    await using visitor = await enterAlone();
    const { page, context } = visitor;
    await page.goto(`/assets/${id}?issue=34`);
    await page.keyboard.press("a");
    await toast(page, "left.png: approved.");
    const cookies = await context.cookies();
    await context.clearCookies();
    await page.goto("/assets?issue=34");
    await page.getByLabel("Token").waitFor();
    expect(await statusOf(id)).toBe("pending");
    await context.addCookies(cookies);
    await page.goto("/assets?issue=34");
    await until(async () => (await statusOf(id)) === "approved", "it is written");
  });
});

describe.skipIf(!browserPath)("a viewer", () => {
  const open = async (asset: Pick<Asset, "id">, query = "") => {
    const visitor = await enter();
    await visitor.page.goto(`/assets/${asset.id}${query}`);
    return visitor;
  };

  test("of images zooms and pans, both images of a comparison in sync", async () => {
    const first = await house.upload("map.png", png(400, 300));
    const second = await house.upload("map.png", noisyPng(400, 300), { replaces: first.id });
    await using visitor = await open(second, `?with=${first.id}`);
    const { page } = visitor;
    const styles = () =>
      page.evaluate("[...document.querySelectorAll('[data-zoom] img')].map((one) => one.style.transform)");
    await page.getByRole("button", { name: "Zoom in" }).first().click();
    expect(await styles()).toEqual(["translate(0px, 0px) scale(1.5)", "translate(0px, 0px) scale(1.5)"]);
    const frame = must(await page.locator("[data-zoom]").first().boundingBox());
    await page.mouse.move(frame.x + 100, frame.y + 100);
    await page.mouse.down();
    await page.mouse.move(frame.x + 130, frame.y + 110);
    await page.mouse.up();
    expect(await styles()).toEqual(["translate(30px, 10px) scale(1.5)", "translate(30px, 10px) scale(1.5)"]);
    await page.getByRole("button", { name: "Fit" }).first().click();
    expect(await styles()).toEqual(["", ""]);
    expect(visitor.faults).toEqual([]);
  });

  test("of images shows `Fit`, or the scale in percent", async () => {
    await using visitor = await open(await house.upload("wide.png", png(4000, 200)));
    const { page } = visitor;
    const scale = page.locator("[data-scale]").first();
    const shown = Number(await page.evaluate("document.querySelector('[data-zoom] img').clientWidth"));
    expect(shown).toBeLessThan(4000);
    expect(await scale.textContent()).toBe("Fit");
    await page.getByRole("button", { name: "Zoom in" }).first().click();
    expect(await scale.textContent()).toBe(`${Math.round((shown / 4000) * 150)}%`);
    await page.getByRole("button", { name: "1:1" }).first().click();
    expect(await scale.textContent()).toBe("100%");
    await page.getByRole("button", { name: "Fit" }).first().click();
    expect(await scale.textContent()).toBe("Fit");
    expect(visitor.faults).toEqual([]);
  });

  test("of two overlaid images has a wipe edge, an amplified difference, and flicker", async () => {
    const first = await house.upload("berths.png", png(400, 300));
    const second = await house.upload("berths.png", noisyPng(400, 300), { replaces: first.id });
    await using visitor = await open(second, `?with=${first.id}&mode=wipe`);
    const { page } = visitor;
    const style = (of: string, name: string) =>
      page.locator(of).evaluate((one, name) => getComputedStyle(one).getPropertyValue(name), name);
    const image = must(await page.locator("#over .upper").boundingBox());
    await page.mouse.move(image.x + image.width / 2, image.y + 20);
    await page.mouse.down();
    await page.mouse.move(image.x + image.width / 4, image.y + 40);
    await page.mouse.up();
    expect([await page.locator("#wipe").inputValue(), await style("#over .upper", "clip-path")]).toEqual([
      "25",
      "inset(0px 0px 0px 25%)",
    ]);

    await page.getByRole("link", { name: "Difference" }).click();
    await page.getByLabel("Amplify").fill("4");
    expect([await style("#over .upper", "mix-blend-mode"), await style("#over", "filter")]).toEqual([
      "difference",
      "brightness(4)",
    ]);

    await page.getByRole("link", { name: "Flicker" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    const shown = await page.locator("[data-shown]").textContent();
    await page.getByRole("button", { name: "Switch version" }).click();
    expect([shown, await page.locator("[data-shown]").textContent()].toSorted()).toEqual(["v1", "v2"]);
    expect(visitor.faults).toEqual([]);
  });

  test("of video and audio steps back and forward; two side by side play in sync", async () => {
    const first = await house.upload("walk.mp4", mp4());
    const second = await house.upload("walk.mp4", mp4({ duration: 2000 }), { replaces: first.id });
    await using visitor = await open(second, `?with=${first.id}`);
    const { page } = visitor;
    const times = () =>
      page.evaluate(
        "[...document.querySelectorAll('video')].map((one) => Number(one.currentTime.toFixed(3)))",
      );
    await until(
      () => page.evaluate("[...document.querySelectorAll('video')].every((one) => one.readyState > 0)"),
      "both are read",
    );
    await page.keyboard.press(".");
    await page.keyboard.press(".");
    expect(await times()).toEqual([0.067, 0.067]);
    await page.getByRole("button", { name: "Back one frame" }).first().click();
    expect(await times()).toEqual([0.033, 0.033]);

    await page.evaluate("document.querySelectorAll('video')[1].play()");
    await until(
      () => page.evaluate("[...document.querySelectorAll('video')].every((one) => one.currentTime > 0.2)"),
      "both have begun",
    );
    await page.evaluate("document.querySelectorAll('video')[1].pause()");
    await until(
      () => page.evaluate("[...document.querySelectorAll('video')].every((one) => one.paused)"),
      "both have stopped",
    );
    const [left = 0, right = 0] = (await times()) as number[];
    expect(Math.abs(left - right)).toBeLessThan(0.2);

    const sound = await house.upload("bell.wav", wav(2));
    await page.goto(`/assets/${sound.id}`);
    await until(() => page.evaluate("document.querySelector('audio').readyState > 0"), "it is read");
    await page.getByRole("button", { name: "Forward 0.1 seconds" }).click();
    await until(async () => (await page.locator("[data-time]").textContent()) === "0:00.100", "it has moved");
    expect(visitor.faults).toEqual([]);
  });

  test("of PDFs is loaded only for PDFs, renders visible pages, and has a text layer", async () => {
    const canvas = await browser.newPage();
    await canvas.setContent(
      `<h1>Plan of the jetty</h1>${'<p style="break-after: page">Berth</p>'.repeat(12)}`,
    );
    const plan = await canvas.pdf({ format: "A4" });
    const paper = await house.upload("plan.pdf", plan);
    await canvas.close();
    await using visitor = await open(paper);
    const { page } = visitor;
    await page.locator(".sheet.drawn").first().waitFor();
    expect(await page.locator(".sheet").count()).toBe(12);
    expect(await page.locator(".sheet.drawn").count()).toBeLessThan(12);
    expect(await page.locator(".textLayer").first().textContent()).toContain("Plan of the jetty");
    const ink = await page.evaluate(`(() => {
      const canvas = document.querySelector(".sheet canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, at) => at % 4 === 0 && value < 100).length;
    })()`);
    expect(ink).toBeGreaterThan(100);
    await page.locator('.sheet[data-page="12"]').scrollIntoViewIfNeeded();
    await page.locator('.sheet.drawn[data-page="12"]').waitFor();
    expect(visitor.faults).toEqual([]);

    const next = await house.upload("plan.pdf", plan, { replaces: paper.id });
    await page.goto(`/assets/${next.id}?with=${paper.id}`);
    for (const side of [0, 1])
      await page.locator(".pages").nth(side).locator(".sheet.drawn").first().waitFor();
    await page.evaluate("document.querySelectorAll('.pages')[1].scrollTop = 700");
    await until(
      () => page.evaluate("Math.abs(document.querySelector('.pages').scrollTop - 700) < 2"),
      "the other one follows",
    );
    expect(visitor.faults).toEqual([]);

    const other = await house.upload("one.png", png(3, 3));
    visitor.requests.length = 0;
    await page.goto(`/assets/${other.id}`);
    expect(visitor.requests.filter((one) => one.includes("pdf"))).toEqual([]);
  });

  test("of a broken PDF shows an error and a link to the file", async () => {
    const broken = await house.upload("broken.pdf", "%PDF-1.4\nthis is all there is\n%%EOF\n");
    await using visitor = await open(broken);
    await visitor.page.getByText(/^Can't display this PDF: /).waitFor();
    expect(await visitor.page.getByRole("link", { name: "Open PDF" }).isVisible()).toBe(true);
  });

  test("of HTML pages shows them in a sandboxed frame, and compares them as a text diff", async () => {
    const text = (words: string) =>
      `<!doctype html>\n<title>Report</title>\n<h1>Report</h1>\n<p>${words}</p>\n<p>The end.</p>\n`;
    const first = await house.upload("report.html", text("Two of three <b>fail</b>"));
    await using alone = await open(first);
    const width = async () => (await alone.page.locator("iframe").boundingBox())?.width;
    const full = await width();
    await alone.page.getByRole("button", { name: "390 px" }).click();
    expect(await width()).toBe(390);
    await alone.page.getByRole("button", { name: "Full width" }).click();
    expect(await width()).toBe(must(full));

    const second = await house.upload("report.html", text("All three pass"), { replaces: first.id });
    await using visitor = await open(second, `?with=${first.id}`);
    const { page } = visitor;
    expect(await page.frameLocator("iframe").first().locator("p").first().textContent()).toBe(
      "Two of three fail",
    );
    await page.getByRole("link", { name: "Text diff", exact: true }).click();
    const lines = await page.evaluate(
      "[...document.querySelectorAll('.difference-text tbody tr')].map((row) => [row.className, ...[...row.cells].map((cell) => cell.textContent)])",
    );
    expect(lines).toEqual([
      ["same", "1", "1", "", "<!doctype html>"],
      ["same", "2", "2", "", "<title>Report</title>"],
      ["same", "3", "3", "", "<h1>Report</h1>"],
      ["removed", "4", "", "−removed", "<p>Two of three <b>fail</b></p>"],
      ["added", "", "4", "+added", "<p>All three pass</p>"],
      ["same", "5", "5", "", "<p>The end.</p>"],
    ]);
    expect(visitor.faults).toEqual([]);
  });

  test("of texts that are too large or not UTF-8 says why there is no diff", async () => {
    const first = await house.upload("log.txt", "short\n");
    const second = await house.upload("log.txt", "a long line of a log\n".repeat(30_000), {
      replaces: first.id,
    });
    await using visitor = await open(second, `?with=${first.id}&mode=text`);
    await visitor.page.getByText("Can't compare these files").waitFor();
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("files on a separate content origin", () => {
  test("are uploaded, shown, and read by the pages, and nothing else is requested there", async () => {
    const free = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const { port } = free;
    await free.stop(true);
    const bytesOrigin = `http://localhost:${port}`;
    await using apart = await openTestServer("sqlite", "disk", { SVC_CONTENT_URL: bytesOrigin }, port);
    const options = {
      cookies: await openSession(apart.server.origin, apart.token),
      otherOrigins: [bytesOrigin],
    };
    await using visitor = await openBrowserSession(browser, apart.server.origin, options);
    const { page } = visitor;
    const canvas = await browser.newPage();
    await canvas.setContent("<h1>Plan</h1>");
    const plan = await canvas.pdf();
    await canvas.close();
    await page.goto("/assets");
    await page.getByLabel("Choose files").setInputFiles([
      { name: "map.png", mimeType: "image/png", buffer: Buffer.from(png(40, 30)) },
      { name: "plan.pdf", mimeType: "application/pdf", buffer: plan },
      { name: "report.html", mimeType: "text/html", buffer: Buffer.from("<h1>Report</h1>") },
    ]);
    await until(async () => (await page.locator(".uploads li.done").count()) === 3, "all are assets");
    const open = async (title: string) => {
      await page.goto("/assets");
      await page.locator(".tile").getByRole("link", { name: title }).click();
    };
    await open("map.png");
    await until(
      () => page.evaluate("document.querySelector('.stage img')?.naturalWidth === 40"),
      "the image is shown",
    );
    await open("plan.pdf");
    await page.locator(".sheet.drawn").waitFor();
    await open("report.html");
    expect(await page.frameLocator("iframe").locator("h1").textContent()).toBe("Report");
    const there = visitor.requests.filter((one) => one.includes(bytesOrigin));
    expect(there.length).toBeGreaterThan(0);
    expect(there.filter((one) => !/^GET [^ ]+\/api\/assets\/(view|thumb|bundle)\//.test(one))).toEqual([]);
    expect(visitor.faults).toEqual([]);
  });
});
