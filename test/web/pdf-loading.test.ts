/** When the desk loads PDF.js: on a person's sign where the first page has a picture, else after the page. */
import { describe, expect, test } from "bun:test";
import { pdf } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { until } from "../support/conditions.ts";

const desk = useReviewDesk();

describe.skipIf(!browserPath)("PDF.js", () => {
  test("of a PDF without a thumbnail comes after the page and its scripts, without a sign", async () => {
    const { id } = await desk.testServer.upload("paper.pdf", pdf());
    await using visitor = await desk.enter();
    const { page } = visitor;
    const image = Promise.withResolvers<void>();
    await page.route("**/held.png", async (route) => {
      await image.promise;
      await route.fulfill({ status: 204 });
    });
    await page.route(`**/assets/${id}`, async (route) => {
      const response = await route.fetch();
      const withoutPicture = (await response.text()).replace(/<img [^>]*data-poster[^>]*>/, "");
      const body = withoutPicture.replace("</body>", '<img src="/held.png"></body>');
      await route.fulfill({ response, body });
    });
    // The test says when the page has loaded, and when it is idle.
    await page.addInitScript("requestIdleCallback = (callback) => { globalThis.whenIdle = callback; }");
    await page.goto(`/assets/${id}`, { waitUntil: "domcontentloaded" });
    const asksForIdle = () => page.evaluate<boolean>("'whenIdle' in globalThis");
    expect(await asksForIdle()).toBe(false);
    image.resolve();
    await until(asksForIdle, "the viewer asks when the page is idle");
    const hasReader = () => visitor.requests.some((url) => url.endsWith("/pdf.min.mjs"));
    expect(hasReader()).toBe(false);
    await page.evaluate("whenIdle()");
    await page.locator(".sheet.drawn").waitFor();
    expect(hasReader()).toBe(true);
    const scripts = await page.evaluate(
      () => performance.getEntriesByType("resource").filter(({ name }) => /\.(m?js|css)$/.test(name)).length,
    );
    expect(scripts).toBeLessThanOrEqual(12);
    expect(visitor.faults).toEqual([]);
  });
});
