/** The review desk in a real browser: undoable reviews, reviews in bulk, and two reviewers. */
import { describe, expect, test } from "bun:test";
import { noisyPng, png } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import {
  passUndoTime,
  stopClock,
  toast,
  toastAfterUndoTime,
  useReviewDesk,
} from "../support/browser/review-desk.ts";
import { must, until } from "../support/harness.ts";

const desk = useReviewDesk();
const { enter, assetOf, statusOf, uploads } = desk;

describe.skipIf(!browserPath)("a review", () => {
  test("is saved ten seconds after the decision, not before, whichever asset is open by then", async () => {
    const [first, second] = (await uploads(1, "one.png", "two.png")).toReversed() as [string, string];
    await using visitor = await enter();
    const { page } = visitor;
    await stopClock(page);
    await page.goto(`/assets/${first}?issue=1`);
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
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

  test("is undone by U, on the page it was made on, without a trace but its note", async () => {
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
    expect(await page.getByLabel("Note").inputValue()).toBe("Too dark.");
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
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/assets/${ids[1]}?issue=3`);
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
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
    await desk.testServer.upload("new.png", noisyPng(8, 8), { issue: "4", replaces: id });
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await toastAfterUndoTime(page, /^old\.png was not approved: /);
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
    await desk.testServer.api("PUT", `/assets/${id}/review`, { decision: "approved" });
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
    await desk.testServer.upload("two-again.png", noisyPng(9, 9), { issue: "6", replaces: must(ids[1]) });
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
    expect(await page.getByRole("status").first().textContent()).toMatch(
      /^two\.png, version 1, is now rejected\. Decision \d+ carries your note to the next brief\.$/,
    );
    expect((await assetOf(first)).review_note).toBe("Line one\nLine two");
    await page.getByRole("button", { name: /^Approve/ }).click();
    await page.waitForURL(`**/assets?issue=7&reviewed=${second}`);
    expect(await statusOf(second)).toBe("approved");
    await page.getByRole("link", { name: "one.png" }).first().click();
    await page.locator("summary", { hasText: "Publish" }).click();
    await page.getByRole("button", { name: "Publish this file" }).click();
    await page.getByText("Permanent URL").waitFor();
    const ofScripts = page.locator(".choice, .toolbar, [data-copy], button kbd").filter({ visible: true });
    expect(await ofScripts.count()).toBe(0);
    const old = await desk.testServer.upload("old.png", png(20, 20), { issue: "7" });
    const young = await desk.testServer.upload("young.png", noisyPng(20, 20), {
      issue: "7",
      replaces: old.id,
    });
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
    await desk.testServer.api("PUT", `/assets/${id}/review`, zoe);
    await page.keyboard.press("r");
    await page.keyboard.type("The logo is cut off.");
    await page.keyboard.press("Control+Enter");
    await toastAfterUndoTime(
      page,
      /^shared\.png was not rejected: human:zoe rejected this asset at .* UTC, after you opened it\./,
    );
    expect(await assetOf(id)).toMatchObject({ reviewed_by: "human:zoe", review_note: "Too dark." });
    await page.getByRole("link", { name: "Open asset" }).click();
    await page.locator(".note").getByText("Too dark.", { exact: true }).waitFor();
    const note = () => page.getByLabel("Note").inputValue(); // a script restores it
    await until(async () => (await note()) === "The logo is cut off.", "the note is restored");
    await page.getByRole("button", { name: /^Reject/ }).click();
    await passUndoTime(
      page,
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
    await desk.testServer.api("PUT", `/assets/${ids[1]}/review`, zoe);
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
    await desk.testServer.api("PUT", `/assets/${id}/review`, zoe);
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
