/** When the desk loads PDF.js: on a person's sign where the first page has a picture, else after the page. */
import { describe, expect, test } from "bun:test";
import { pdf } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";

const desk = useReviewDesk();

describe.skipIf(!browserPath)("PDF.js", () => {
  test("of a PDF without a thumbnail comes after the page and its scripts, without a sign", async () => {
    const { id } = await desk.testServer.upload("paper.pdf", pdf());
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.route(`**/assets/${id}`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(/<img [^>]*data-poster[^>]*>/, "");
      await route.fulfill({ response, body });
    });
    await page.goto(`/assets/${id}`);
    await page.locator(".sheet.drawn").waitFor();
    const [began, loaded, painted] = await page.evaluate<[number, number, number]>(`[
      performance.getEntriesByType("resource").find(({ name }) => name.endsWith("/pdf.min.mjs")).startTime,
      performance.getEntriesByType("navigation")[0].loadEventStart,
      performance.getEntriesByName("first-paint")[0].startTime,
    ]`);
    expect([began > loaded, began > painted]).toEqual([true, true]);
    const scripts = await page.evaluate(
      () => performance.getEntriesByType("resource").filter(({ name }) => /\.(m?js|css)$/.test(name)).length,
    );
    expect(scripts).toBeLessThanOrEqual(12);
    expect(visitor.faults).toEqual([]);
  });
});
