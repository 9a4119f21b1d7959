/** Places are marked on the review desk, by keyboard and by touch. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Annotation, AnnotationList } from "../../../src/annotations/schema.ts";
import { browserPath } from "../../support/browser.ts";
import { must, until } from "../../support/harness.ts";
import { mp4, noisyPng } from "../../support/media.ts";
import { useReviewDesk } from "../../support/review-desk.ts";
import { openSession } from "../../support/test-server.ts";

const desk = useReviewDesk();
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const entries = (page: Page) => page.locator("#annotations .marks > .mark");

/** Types the text of a place that was marked, and saves it. */
async function save(page: Page, text: string): Promise<void> {
  const saved = await entries(page).count();
  await page.locator(".composing textarea").waitFor();
  await page.keyboard.type(text);
  await page.keyboard.press("Control+Enter");
  await until(async () => (await entries(page).count()) === saved + 1, `"${text}" is in the list`);
}

async function press(page: Page, key: string, times: number): Promise<void> {
  for (let count = 0; count < times; count++) await page.keyboard.press(key);
}

/** What is saved: the visitor of the page sees own drafts. */
const targetsOf = async (page: Page, id: string) =>
  (
    (await page.evaluate(
      async (path) => (await fetch(path)).json(),
      `/web/assets/${id}/annotations`,
    )) as AnnotationList
  ).annotations.map(({ target }) => target);

const marked = (page: Page) => page.locator(".marked > .drawing, .picture-box > .drawing");

/** Draws with a finger. */
async function drag(page: Page, points: [x: number, y: number][]): Promise<void> {
  const box = must(await marked(page).boundingBox());
  const touch = await page.context().newCDPSession(page);
  const at = ([x, y]: [number, number]) => [{ x: box.x + box.width * x, y: box.y + box.height * y }];
  const [first, ...rest] = points as [[number, number], ...[number, number][]];
  await touch.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(first) });
  for (const point of rest)
    await touch.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(point) });
  await touch.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
}

describe.skipIf(!browserPath)("a place", () => {
  test("on an image is marked by keyboard: a point, a box and a path", async () => {
    const { id } = await desk.testServer.upload("map.png", noisyPng(400, 300));
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    await page.keyboard.press("m");
    await press(page, "ArrowRight", 10);
    await page.keyboard.press("Enter");
    await save(page, "Too dark");
    await press(page, "ArrowLeft", 10);
    await press(page, "Shift+ArrowRight", 5);
    await press(page, "Shift+ArrowDown", 4);
    await page.keyboard.press("Enter");
    await save(page, "Cut off");
    await page.getByRole("button", { name: "Path", exact: true }).click();
    await page.locator(".drawing").focus();
    for (const key of ["ArrowUp", "ArrowLeft"]) {
      await page.keyboard.press("Enter");
      await press(page, key, 10);
    }
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await save(page, "Not smooth");
    expect(await targetsOf(page, id)).toEqual([
      { shape: "point", x: 6000, y: 5000 },
      { shape: "rect", x: 5000, y: 5000, w: 500, h: 400 },
      {
        shape: "path",
        points: [
          [5500, 5400],
          [5500, 4400],
          [4500, 4400],
        ],
      },
    ]);
    await page.keyboard.press("Escape");
    expect(await page.locator(".drawing").count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

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

  test("on a video is marked with a finger", async () => {
    const { id } = await desk.testServer.upload("walk.mp4", mp4({ duration: 4000 }));
    await using visitor = await desk.enter(phone);
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    await until(() => page.evaluate("document.querySelector('video').readyState > 1"), "it is read");
    await page.getByRole("button", { name: "Mark", exact: true }).tap();
    for (const [left, text] of [
      [0.1, "One"],
      [0.4, "Two"],
      [0.7, "Three"],
    ] as const) {
      await drag(page, [
        [left, 0.2],
        [left + 0.1, 0.4],
        [left + 0.2, 0.6],
      ]);
      await save(page, text);
    }
    const targets = (await targetsOf(page, id)).map((target) => must(target));
    expect(targets.map(({ shape, t_ms }) => [shape, t_ms])).toEqual(Array(3).fill(["rect", 0]));
    expect(await page.locator(".picture-box .pins .mark").count()).toBe(3);
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
    const numbers = (selector: string) =>
      page.locator(selector).evaluateAll((all) => all.map((one) => one.textContent?.trim()));
    expect(await numbers(".pins .mark")).toEqual(["1", "2", "3"]);
    expect(await numbers("#annotations .pin-link")).toEqual(
      ["1", "2", "3"].map((n) => `Show annotation ${n}`),
    );
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

  test("holds drafts that only their author sees, until the review sends them", async () => {
    const { testServer } = desk;
    const { id } = await testServer.upload("map.png", noisyPng(400, 300), { issue: "71" });
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}?issue=71`);
    await page.keyboard.press("m");
    await page.keyboard.press("Enter");
    await save(page, "Too dark");
    expect(await page.locator("#note-goes strong").textContent()).toBe(
      "1 draft annotation will be sent with your review.",
    );
    const zoe = await testServer.mint("zoe", ["assets:read", "assets:review"]);
    await using other = await desk.enter({ cookies: await openSession(testServer.server.origin, zoe) });
    await other.page.goto(`/assets/${id}?issue=71`);
    expect([await entries(other.page).count(), await other.page.locator(".pins .mark").count()]).toEqual([
      0, 0,
    ]);
    await page.keyboard.press("Escape");
    await page.keyboard.press("r");
    await page.locator("#toast").getByText("map.png: rejected.").waitFor();
    await page.getByRole("link", { name: "Feed" }).click();
    await page.getByText("Rejected map.png, version 1").first().waitFor();
    await other.page.reload();
    expect(await entries(other.page).locator(".mark-body").allTextContents()).toEqual(["Too dark"]);
    expect([...visitor.faults, ...other.faults]).toEqual([]);
  });
});
