/** Places on files other than images: pages of a PDF, an HTML page at a width, ranges of audio, quotes. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { renderToString } from "preact-render-to-string";
import type { AnnotationList } from "../../../src/library/annotations/schema.ts";
import { EventSummary } from "../../../src/web/feed/event-rows.tsx";
import { wav } from "../../support/assets/media.ts";
import { browserPath } from "../../support/browser/browser.ts";
import { save } from "../../support/browser/marking.ts";
import { useReviewDesk } from "../../support/browser/review-desk.ts";
import { until } from "../../support/harness.ts";

const desk = useReviewDesk();

/** What is saved: the visitor of the page sees own drafts. */
const targetsOf = async (page: Page, id: string) =>
  (
    (await page.evaluate(
      async (path) => (await fetch(path)).json(),
      `/web/assets/${id}/annotations`,
    )) as AnnotationList
  ).annotations.map(({ target }) => target);

/** A PDF of two pages, as Chromium prints it. */
async function printed(): Promise<Uint8Array> {
  const paper = await desk.browser.newPage();
  await paper.setContent(
    `<p style="break-after: page">Plan of the jetty</p><p>Total <b>1,204</b> berths</p>`,
  );
  const file = await paper.pdf({ format: "A5" });
  await paper.close();
  return file;
}

describe.skipIf(!browserPath)("a place", () => {
  test("on a PDF has its page, and a quote of it also the text around it", async () => {
    const { id } = await desk.testServer.upload("plan.pdf", await printed());
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    const second = page.locator('.sheet.drawn[data-page="2"]');
    await page.mouse.move(5, 5);
    await page.locator('.sheet[data-page="2"]').scrollIntoViewIfNeeded();
    await second.waitFor();
    await page.keyboard.press("m");
    await second.locator(".drawing").focus();
    await page.keyboard.press("Enter");
    await save(page, "Move it");
    await page.keyboard.press("Escape");
    await page.evaluate(() => {
      const texts = document.querySelectorAll(".sheet[data-page='2'] .textLayer span");
      const total = [...texts].find((one) => one.textContent?.includes("1,204"))?.firstChild as Text;
      getSelection()?.setBaseAndExtent(total, 0, total, total.data.length);
    });
    await page.keyboard.press("q");
    await save(page, "Wrong currency");
    const [point, quote] = await targetsOf(page, id);
    expect(point).toEqual({ page: 2, shape: "point", x: 5000, y: 5000 });
    expect(quote).toMatchObject({
      ...{ page: 2, shape: "rect" },
      quote: { exact: "1,204", prefix: "Total", suffix: "berths" },
    });
    await until(async () => (await second.locator(".pins .mark").count()) === 2, "both are drawn on it");
    expect(await page.locator('.sheet[data-page="1"] .pins .mark').count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test("on an HTML page has the width that the page is shown at, and is drawn at that width alone", async () => {
    const { id } = await desk.testServer.upload("report.html", "<!doctype html><h1>All berths</h1>");
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    await page.getByRole("button", { name: "390 px" }).click();
    await page.keyboard.press("m");
    await page.keyboard.press("Enter");
    await save(page, "Overlaps the footer");
    const [target] = await targetsOf(page, id);
    expect(target).toMatchObject({ viewport: { w: 390 }, shape: "point", x: 5000, y: 5000 });
    const drawn = () => page.locator(".marked .pins .mark").count();
    await until(async () => (await drawn()) === 1, "it is drawn");
    await page.getByRole("button", { name: "Full width" }).click();
    await until(async () => (await drawn()) === 0, "it is of another width");
    await page.locator("#annotations [data-show]").click();
    await until(async () => (await drawn()) === 1, "its entry leads back to its width");
    expect(visitor.faults).toEqual([]);
  });

  test("in audio is a range between two presses, or a time", async () => {
    const { id } = await desk.testServer.upload("bell.wav", wav(3));
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    const at = (seconds: number) =>
      page.evaluate((seconds) => {
        (document.querySelector("audio") as HTMLAudioElement).currentTime = seconds;
      }, seconds);
    await until(() => page.evaluate("document.querySelector('audio').readyState > 0"), "it is read");
    await at(0.5);
    await page.keyboard.press("[");
    await at(1.25);
    await page.keyboard.press("]");
    await save(page, "Too loud");
    await at(2);
    await page.keyboard.press("t");
    await save(page, "A click");
    expect(await targetsOf(page, id)).toEqual([{ t_ms: 500, t_end_ms: 1250 }, { t_ms: 2000 }]);
    expect(await page.locator(".timeline a").count()).toBe(2);
    expect(await page.locator(".timeline .range").count()).toBe(1);
    expect(visitor.faults).toEqual([]);
  });
});

test("an event says where an annotation is without coordinates, which only programs read", () => {
  const summary = "Annotated Map, version 2: 5. [should] right (x 64-84 %, y 59-64 %): Name the jetty.";
  const event = { summary, kind: "asset.annotated", page: "/assets/1", url: null } as unknown as Parameters<
    typeof EventSummary
  >[0]["event"];
  expect(renderToString(EventSummary({ event }))).toContain("[should] right: Name the jetty.");
});
