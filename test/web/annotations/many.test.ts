/** With many annotations, the desk replaces only what a change is about. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { Annotation } from "../../../src/library/annotations/schema.ts";
import { noisyPng } from "../../support/assets/media.ts";
import { browserPath } from "../../support/browser/browser.ts";
import { useReviewDesk } from "../../support/browser/review-desk.ts";
import { until } from "../../support/harness.ts";

const desk = useReviewDesk();
const annotate = (id: string, n: number) =>
  desk.testServer.api<Annotation>("POST", `/assets/${id}/annotations`, {
    body: `At ${n}`,
    target: { shape: "point", x: 500 + Math.floor(n / 8) * 1200, y: 800 + (n % 8) * 1100 },
  });

/** Marks elements as they are now, so that a test sees which of them were replaced. */
const remember = (page: Page) =>
  page.evaluate(() => {
    for (const one of document.querySelectorAll(".pins .mark, .desk-viewer *, .versions, #review"))
      (one as unknown as { isOld: boolean }).isOld = true;
  });
const areOld = (page: Page, selector: string) =>
  page.evaluate(
    (selector) =>
      [...document.querySelectorAll(selector)].map(
        (one) => (one as unknown as { isOld?: boolean }).isOld ?? false,
      ),
    selector,
  );

describe.skipIf(!browserPath)("a list of two pages", () => {
  test("changes page, and saves, without replacing the pins and what is around it", async () => {
    const { id } = await desk.testServer.upload("map.png", noisyPng(400, 300));
    for (let n = 1; n <= 60; n++) await annotate(id, n);
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    await remember(page);
    await page.getByRole("link", { name: "Next", exact: true }).click();
    await page.locator("#mark-60").waitFor();
    expect([await page.locator(".marks > .mark").count(), new URL(page.url()).search]).toEqual([
      10,
      "?marks=2",
    ]);
    await page.locator('.pins [data-n="3"] a').click();
    await until(
      async () => (await page.evaluate("document.activeElement.dataset.show")) === "3",
      "it is shown",
    );
    expect(new Set(await areOld(page, ".pins .mark:not([data-n='3'])"))).toEqual(new Set([true]));

    await page.keyboard.press("m");
    await page.keyboard.press("Enter");
    await page.locator(".composing textarea").waitFor();
    await page.keyboard.type("New");
    await page.keyboard.press("Control+Enter");
    await page.locator("#mark-61").waitFor();
    const pins = await areOld(page, ".pins .mark:not([data-n='3'])");
    expect([pins.length, pins.filter((isOld) => !isOld).length]).toEqual([60, 1]);
    expect(new Set(await areOld(page, "[data-viewer] img, .versions, #review"))).toEqual(new Set([true]));
    await page
      .locator("#mark-61")
      .getByRole("button", { name: /^Remove/ })
      .click();
    await until(async () => (await page.locator(".pins [data-n='61']").count()) === 0, "its pin is gone");
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("a list of annotations in several states", () => {
  test("is filtered by state, and shows what a pin leads to whatever its state is", async () => {
    const { id } = await desk.testServer.upload("map.png", noisyPng(400, 300));
    for (let n = 1; n <= 12; n++) {
      const { id: annotation } = await annotate(id, n);
      if (n > 9) await desk.testServer.api("POST", `/annotations/${annotation}`, { state: "withdrawn" });
    }
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    const filters = page.locator(".mark-filters a");
    expect(await filters.allTextContents()).toEqual(["All 12", "Open 9", "Settled 3"]);
    const listed = page.locator("#annotations .marks > .mark");
    await filters.nth(2).click();
    await until(async () => (await listed.count()) === 3, "only settled ones are listed");
    expect(new URL(page.url()).search).toBe("?show=settled");
    await page.locator('.pins [data-n="2"] a').click();
    await until(async () => (await listed.count()) === 12, "all are listed");
    expect(await page.evaluate("document.activeElement.dataset.show")).toBe("2");
    await page.goto(`/assets/${id}?show=settled&mark=2`);
    expect(await listed.count()).toBe(12);
    expect(visitor.faults).toEqual([]);
  });
});

describe.skipIf(!browserPath)("a quote", () => {
  test("is marked in the text where it stands, of two the one that its surroundings name", async () => {
    const text = "# Prices\n\nTotal 1,204 in May\n\nThe total of all\nberths is 9.\n\nTotal 1,204 in June\n";
    const { id } = await desk.testServer.upload("notes.md", text);
    const quotes = [
      { exact: "Total 1,204", suffix: "in June" },
      { exact: "all berths is", prefix: "total of" },
      { exact: "not there" },
    ];
    for (const quote of quotes)
      await desk.testServer.api("POST", `/assets/${id}/annotations`, { body: "Check", target: { quote } });
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    const marked = () =>
      page
        .locator(".text-view mark")
        .evaluateAll((all) =>
          all.map((one) => [one.closest("tr")?.dataset.line, one.dataset.n, one.textContent]),
        );
    expect(await marked()).toEqual([
      ["5", "2", "all"],
      ["6", "2", "berths is"],
      ["8", "1", "Total 1,204"],
    ]);
    await page.evaluate(() => {
      const [from, to] = [".text-view [data-line='3'] .text", ".text-view [data-line='5'] .text"].map(
        (cell) => document.querySelector(cell)?.firstChild as Text,
      ) as [Text, Text];
      getSelection()?.setBaseAndExtent(from, 6, to, 3);
    });
    await page.keyboard.press("q");
    await page.locator(".composing textarea").waitFor();
    await page.keyboard.type("Round it");
    await page.keyboard.press("Control+Enter");
    await page.locator("#mark-4").waitFor();
    expect(await page.locator("#mark-4 .mark-place").textContent()).toBe('lines 3-5, on "1,204 in May The"');
    expect((await marked()).filter(([, n]) => n === "4")).toEqual([
      ["3", "4", "1,204 in May"],
      ["5", "4", "The"],
    ]);
    await page.locator(".text-view mark[data-n='2']").first().hover();
    expect(await page.locator(".marks .on").getAttribute("data-mark")).toBe("2");
    expect(visitor.faults).toEqual([]);
  });

  test("of an HTML page is marked in its source, which can be quoted too", async () => {
    const { id } = await desk.testServer.upload(
      "report.html",
      "<!doctype html>\n<h1>Report</h1>\n<p>Two of <b>three</b> fail</p>\n",
    );
    const target = { viewport: { w: 390, h: 844 }, quote: { exact: "Two of three" } };
    await desk.testServer.api("POST", `/assets/${id}/annotations`, { body: "Which?", target });
    await using visitor = await desk.enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(`/assets/${id}`);
    await page.getByRole("link", { name: "Source" }).click();
    expect(await page.locator("tr:has(mark)").getAttribute("data-line")).toBe("3");
    expect(await page.locator(".text-view mark").textContent()).toBe("Two of <b>three");
    await page.getByRole("link", { name: "Page", exact: true }).click();
    expect(await page.locator("iframe").count()).toBe(1);
    expect(visitor.faults).toEqual([]);
  });
});
