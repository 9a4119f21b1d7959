/** What people with a share link see of the versions of an asset: those that the link covers. */
import { describe, expect, test } from "bun:test";
import type { CreatedShares } from "../../src/library/shares/schema.ts";
import { noisyPng } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { must } from "../support/harness.ts";

const desk = useReviewDesk();

describe.skipIf(!browserPath)("the desk of a guest", () => {
  const reject = (id: string, note: string) =>
    desk.testServer.api("PUT", `/assets/${id}/review`, { decision: "rejected", note });
  const next = async (id: string, width: number) =>
    (await desk.testServer.upload("map.png", noisyPng(width, 300), { replaces: id })).id;
  /** Three versions, of which the second was shared. */
  async function share(fields: object) {
    const first = (await desk.testServer.upload("map.png", noisyPng(400, 300))).id;
    await reject(first, "A secret of the team.");
    const second = await next(first, 401);
    const { shares } = await desk.testServer.api<CreatedShares>("POST", `/assets/${second}/shares`, {
      ...{ recipient: "Harbor office", rights: "verdict", ...fields },
    });
    await reject(second, "Too dim.");
    return { link: must(must(shares[0]).url), first, second, third: await next(second, 402) };
  }

  test("has the versions since the one that was shared with their verdicts, and compares them, if it follows the newest", async () => {
    const { link, first, second, third } = await share({ follows: "latest" });
    await using visitor = await desk.enter({ cookies: [] });
    const { page } = visitor;
    await page.goto(new URL(link).pathname);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByRole("button", { name: "Approve" }).waitFor();
    await page.locator("#versions > summary").click();
    const shown = (await page.locator(".versions li").allTextContents()).map((text) =>
      text.replace(/\s+/g, " ").trim(),
    );
    expect(shown).toEqual([
      expect.stringMatching(/^Version 3 pending/),
      expect.stringMatching(/^Version 2 rejected replaced by version 3/),
    ]);
    await page.getByRole("link", { name: "Compare with version 2" }).click();
    expect(await page.locator(".side figure img[src]").count()).toBe(2);
    expect(await page.locator(".covered .watermark").count()).toBe(2);
    await page.keyboard.press("w");
    await page.locator("#over img").nth(1).waitFor();
    expect(await page.locator(".watermark").count()).toBe(1);

    await page.locator("#versions > summary").click();
    await page.getByRole("link", { name: "Version 2", exact: true }).click();
    await page.getByText("replaced by version 3").first().waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).count()).toBe(0);
    const text = await page.content();
    for (const hidden of [first, "A secret of the team.", "Too dim.", "by ana"])
      expect([hidden, text.includes(hidden)]).toEqual([hidden, false]);

    const own = new URL(page.url());
    for (const [query, status] of [
      [`asset=${first}`, 404],
      [`asset=${third}&with=${first}`, 200],
    ] as const) {
      const answer = await page.goto(`${own.pathname}?${query}`);
      expect([query, answer?.status(), await page.locator(".side").count()]).toEqual([query, status, 0]);
    }
    expect(await page.goto(`${own.pathname}?asset=${second}`).then((answer) => answer?.status())).toBe(200);
  });

  test("has one version if the link is of one", async () => {
    const { link, third } = await share({});
    await using visitor = await desk.enter({ cookies: [], javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto(new URL(link).pathname);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("A newer version has replaced this one.").waitFor();
    expect(await page.locator("#versions, .versions").count()).toBe(0);
    const answer = await page.goto(`${new URL(page.url()).pathname}?with=${third}`);
    expect([answer?.status(), await page.locator(".side").count()]).toEqual([200, 0]);
  });
});
