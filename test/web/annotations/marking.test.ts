/** Places are marked on the review desk; see loop.test.ts for an image by keyboard, and a video by touch. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Annotation, AnnotationList } from "../../../src/library/annotations/schema.ts";
import { mp4, noisyPng } from "../../support/assets/media.ts";
import { browserPath } from "../../support/browser/browser.ts";
import { drag, entries, phone, press, save } from "../../support/browser/marking.ts";
import { useReviewDesk } from "../../support/browser/review-desk.ts";
import { must, until } from "../../support/harness.ts";

const desk = useReviewDesk();
/** What is saved: the visitor of the page sees own drafts. */
const targetsOf = async (page: Page, id: string) =>
  (
    (await page.evaluate(
      async (path) => (await fetch(path)).json(),
      `/web/assets/${id}/annotations`,
    )) as AnnotationList
  ).annotations.map(({ target }) => target);

describe.skipIf(!browserPath)("a place", () => {
  test("on an image is marked with a finger, without scrolling the page", async () => {
    const { id } = await desk.testServer.upload("map.png", noisyPng(400, 300));
    await using visitor = await desk.enter(phone);
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    await page.getByRole("button", { name: "Mark", exact: false }).first().tap();
    const before = await page.evaluate("scrollY");
    await drag(page, [
      [0.2, 0.2],
      [0.3, 0.5],
      [0.5, 0.6],
    ]);
    await save(page, "Cut off");
    await drag(page, [[0.8, 0.1]]);
    await save(page, "Too dark");
    await page.getByRole("button", { name: "Path", exact: true }).tap();
    await drag(page, [
      [0.1, 0.1],
      [0.5, 0.2],
      [0.9, 0.1],
    ]);
    await save(page, "Not smooth");
    expect(await page.evaluate("scrollY")).toBe(before);
    const [box, point, path] = (await targetsOf(page, id)).map((target) => must(target));
    expect([box?.shape, point?.shape, path?.shape]).toEqual(["rect", "point", "path"]);
    for (const [value, share] of [
      [box?.x, 2000],
      [box?.y, 2000],
      [box?.w, 3000],
      [box?.h, 4000],
      [point?.x, 8000],
    ])
      expect(Math.abs(must(value) - must(share))).toBeLessThan(60);
    expect(path?.points?.length).toBe(3);
    expect(visitor.faults).toEqual([]);
  });

  test("on a video has the time of the frame that is shown; a range has two times", async () => {
    const { id } = await desk.testServer.upload("walk.mp4", mp4({ duration: 4000 }));
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    await until(() => page.evaluate("document.querySelector('video').readyState > 1"), "it is read");
    await page.keyboard.press("m");
    await page.keyboard.press("Enter");
    await save(page, "Too dark");
    await page.keyboard.press("[");
    await press(page, ".", 3);
    await page.keyboard.press("]");
    await save(page, "Cut this");
    await page.keyboard.press("t");
    await save(page, "A jump");
    const [point, range, time] = (await targetsOf(page, id)).map((target) => must(target));
    expect(point).toMatchObject({ t_ms: 0, shape: "point", x: 5000, y: 5000 });
    expect(range).toMatchObject({ t_ms: 0, t_end_ms: 100 });
    expect(Object.keys(must(time))).toContain("t_ms");
    expect(await page.locator(".timeline a").count()).toBe(3);
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("the list of annotations", () => {
  const annotate = (id: string, body: string, target?: object) =>
    desk.testServer.api<Annotation>("POST", `/assets/${id}/annotations`, { body, target });

  test("mirrors the pins: one highlights the other, and J and K walk through it", async () => {
    const { id } = await desk.testServer.upload("map.png", noisyPng(400, 300), { issue: "70" });
    for (const x of [1000, 3000, 5000]) await annotate(id, `At ${x}`, { shape: "point", x, y: 5000 });
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}?issue=70`);
    const numbers = (selector: string, name: string) =>
      page.locator(selector).evaluateAll((all, name) => all.map((one) => one.getAttribute(name)), name);
    expect(await numbers(".pins .mark", "data-n")).toEqual(["1", "2", "3"]);
    expect(await numbers("#annotations .pin-link", "data-show")).toEqual(["1", "2", "3"]);
    await entries(page).nth(1).hover();
    expect(await page.locator(".pins .on").getAttribute("data-n")).toBe("2");
    await page.locator(".pins a").nth(2).click();
    const focused = () => page.evaluate("document.activeElement.dataset.show");
    await until(async () => (await focused()) === "3", "the entry has the focus");
    expect(await page.locator(".marks .on").getAttribute("data-mark")).toBe("3");
    await page.keyboard.press("k");
    expect(await focused()).toBe("2");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    expect([await focused(), new URL(page.url()).pathname]).toEqual(["3", `/assets/${id}`]);
    expect(visitor.faults).toEqual([]);
  });
});
