/** A recipient of a share link marks places on its page: by keyboard, by touch, and without scripts. */
import { describe, expect, test } from "bun:test";
import type { BrowserContextOptions } from "playwright-core";
import type { Annotation, AnnotationList } from "../../../src/library/annotations/schema.ts";
import type { Asset } from "../../../src/library/assets/schema.ts";
import type { CreatedShares } from "../../../src/library/shares/schema.ts";
import { noisyPng } from "../../support/assets/media.ts";
import { browserPath, openBrowserSession } from "../../support/browser/browser.ts";
import {
  drag,
  entries,
  markByKeyboard,
  markedByKeyboard,
  phone,
  save,
} from "../../support/browser/marking.ts";
import { useReviewDesk } from "../../support/browser/review-desk.ts";
import { must, until } from "../../support/harness.ts";

const desk = useReviewDesk();
const annotationsOf = async (id: string) =>
  (await desk.testServer.api<AnnotationList>("GET", `/assets/${id}/annotations`)).annotations;

/** Opens a new link to an asset, as someone without a token. */
const enterShare = (id: string, fields: Record<string, string>, options: BrowserContextOptions = {}) =>
  enter(`/assets/${id}/shares`, fields, options);

async function enter(path: string, fields: Record<string, string>, options: BrowserContextOptions) {
  const json = { recipient: "Ana at Harbor Ltd", rights: "comment", annotations: "all", ...fields };
  const { shares } = await desk.testServer.api<CreatedShares>("POST", path, json);
  const url = must(shares[0]?.url);
  const visitor = await openBrowserSession(desk.browser, desk.testServer.server.origin, options);
  await visitor.page.goto(new URL(url).pathname);
  await visitor.page.getByRole("button", { name: "Open" }).click();
  await visitor.page.locator(options.javaScriptEnabled === false ? "#annotations" : ".mark-bar").waitFor();
  return visitor;
}

describe.skipIf(!browserPath)("the recipient of a share link", () => {
  test("marks by keyboard and by touch, replies, and is told of a new version instead of marking it", async () => {
    const { testServer } = desk;
    const { id } = await testServer.upload("map.png", noisyPng(400, 300));
    await testServer.api<Annotation>("POST", `/assets/${id}/annotations`, {
      ...{ body: "Check the <b>legend</b>", target: { shape: "point", x: 2000, y: 2000 } },
    });
    await using atDesk = await enterShare(id, { rights: "verdict", follows: "latest" });
    const { page } = atDesk;
    expect([await page.locator(".pins .mark").count(), await entries(page).count()]).toEqual([1, 1]);
    await page.locator(".annotate input[name=name]").evaluate((field: HTMLInputElement) => {
      field.value = "Ana Lima";
    });
    await markByKeyboard(page, ["Too dark", "Cut off", "Not smooth"]);
    expect((await annotationsOf(id)).slice(1).map(({ target }) => target)).toEqual(markedByKeyboard);
    expect(await page.locator("#guest input").inputValue()).toBe("Ana Lima");
    const first = page.locator('.marks > [data-mark="1"]');
    await first.locator("summary", { hasText: "Reply" }).press("Enter");
    await first.getByLabel("Reply", { exact: true }).fill("Which one?");
    await page.keyboard.press("Control+Enter");
    await first.locator(".replies").getByText("Which one?").waitFor();

    await using onPhone = await enterShare(id, {}, phone);
    const touch = onPhone.page;
    await touch.locator(".annotate > summary").tap();
    await touch.locator(".annotate input[name=name]").fill("Bo Holm");
    await touch.getByRole("button", { name: "Mark", exact: false }).first().tap();
    await drag(touch, [
      [0.2, 0.2],
      [0.3, 0.5],
      [0.5, 0.6],
    ]);
    await save(touch, "By hand");
    const by = (await annotationsOf(id)).map((annotation) => annotation.by);
    expect(by.slice(-2)).toEqual(["human:Ana-Lima(not-verified)", "human:Bo-Holm(not-verified)"]);

    await testServer.upload("map.png", noisyPng(300, 200), { replaces: id });
    await page.keyboard.press("m");
    for (const key of ["Enter", "ArrowUp", "Enter", "Enter"]) await page.keyboard.press(key);
    await page.locator(".composing textarea").fill("On the old one");
    await page.keyboard.press("Control+Enter");
    await page.locator(".annotate [role=alert]").getByText("Reload the page to see it.").waitFor();
    expect((await annotationsOf(id)).length).toBe(6);
    await page.reload();
    await page.getByText("From version 1").waitFor();
    expect([...atDesk.faults, ...onPhone.faults]).toEqual([]);
  });

  test("reviews a queue on a phone by touch: file after file, and new ones as they come", async () => {
    const { testServer } = desk;
    const add = (name: string) => testServer.upload(name, noisyPng(60, 40), { tags: "on-a-phone" });
    const [{ id }, second] = [await add("one.png"), await add("two.png")];
    const assetOf = (id: string) => testServer.api<Asset>("GET", `/assets/${id}`);
    const { project } = await assetOf(id);
    const fields = { rights: "verdict", tag: "on-a-phone" };
    await using visitor = await enter(`/projects/${project}/shares`, fields, phone);
    const { page } = visitor;
    const title = page.locator("h1");
    expect([await title.textContent(), await page.locator("nav a[href^='/assets']").count()]).toEqual([
      "one.png",
      0,
    ]);
    await page.locator("#review input[name=name]").fill("Ana Lima");
    await page.getByRole("button", { name: "Approve" }).tap();
    await title.getByText("two.png").waitFor();
    expect((await assetOf(id)).reviewed_by).toBe("human:Ana-Lima(not-verified)");
    const notes = await testServer.upload("three.csv", "berth,depth\nA,2.1\n", { tags: "on-a-phone" });
    await add("three.png");
    const drawn = page.locator(`#guest-queue [data-id="${notes.id}"] img`);
    await drawn.waitFor();
    const picture = await drawn.evaluate(async (image) => {
      const answer = await fetch((image as HTMLImageElement).src);
      return [answer.headers.get("content-type"), (await answer.text()).includes("berth")];
    });
    expect(picture).toEqual(["image/svg+xml", true]);
    const other = await testServer.upload("other.csv", "not,shared\n1,2\n");
    const refused = await page.evaluate(
      async (id) => (await fetch(`${location.pathname}/picture?asset=${id}`)).status,
      other.id,
    );
    expect(refused).toBe(404);
    await page.locator("#guest-queue a[title='three.png']").tap();
    await title.getByText("three.png").waitFor();
    await page.locator(`#guest-queue [data-id="${second.id}"] a`).tap();
    await title.getByText("two.png").waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(visitor.faults).toEqual([]);
  });

  test("marks, pages and replies without scripts", async () => {
    const { id } = await desk.testServer.upload("notes.md", "Total 1,204 in May\n");
    for (let n = 1; n <= 51; n++)
      await desk.testServer.api("POST", `/assets/${id}/annotations`, { body: `Note ${n}` });
    await using visitor = await enterShare(id, {}, { javaScriptEnabled: false });
    const { page } = visitor;
    await page.locator(".annotate > summary").click();
    const form = page.locator(".annotate");
    await form.getByLabel("What to change").fill("Wrong currency");
    await form.getByLabel("Quote").fill("Total 1,204");
    await form.getByLabel("Your name").fill("Ana Lima");
    await form.getByRole("button", { name: "Save annotation" }).click();
    await page.getByText("Thank you. Your comment was recorded.").waitFor();
    expect([new URL(page.url()).hash, await page.locator(".text-view mark").textContent()]).toEqual([
      "#mark-52",
      "Total 1,204",
    ]);
    const entry = page.locator('.marks > [data-mark="52"]');
    await entry.locator("summary", { hasText: "Reply" }).click();
    expect(await entry.getByLabel("Your name").inputValue()).toBe("Ana Lima");
    await entry.getByLabel("Reply", { exact: true }).fill("In euros");
    await entry.getByRole("button", { name: "Reply" }).click();
    await entry.locator(".replies").getByText("In euros").waitFor();
    await page.getByRole("link", { name: "Previous", exact: true }).click();
    await until(async () => (await entries(page).count()) === 50, "the first page is shown");
    expect(visitor.faults).toEqual([]);
  });
});
