/** Keyboard shortcuts on every page, and what the library, the uploads, and the URLs of pages do with them. */
import { describe, expect, test } from "bun:test";
import { noisyPng } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { must, until } from "../support/harness.ts";

const desk = useReviewDesk();

describe.skipIf(!browserPath)("a page", () => {
  test("lists the keyboard shortcuts on ?, whichever page it is, but not while one writes", async () => {
    const [id] = await desk.uploads(71, "keys.png");
    await using visitor = await desk.enter();
    const { page } = visitor;
    const pages = ["/", "/feed", "/projects", "/projects/atlas", "/assets", `/assets/${id}`, "/methodology"];
    for (const path of [...pages, "/docs", "/docs/api", "/settings", "/projects/nowhere"]) {
      await page.goto(path);
      await page.keyboard.press("?");
      const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      await dialog.waitFor();
      expect([path, await dialog.getByText("Next asset in the queue").count()]).toEqual([path, 1]);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
    }
    await page.goto("/feed");
    await page.getByRole("textbox", { name: "Issue" }).pressSequentially("?");
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test("decides nothing by one key: A or R chooses a verdict, Enter sends it, Escape takes it back", async () => {
    const [id] = await desk.uploads(73, "two-keys.png");
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${id}?issue=73`);
    const focused = () => page.evaluate(() => (document.activeElement as HTMLButtonElement).value ?? null);
    await page.keyboard.press("a");
    expect(await focused()).toBe("approved");
    await page.getByRole("button", { name: "Approve Enter" }).waitFor();
    await page.getByLabel("Note").fill("Too dark.");
    await page.keyboard.press("Escape");
    await page.keyboard.press("r");
    expect(await focused()).toBe("rejected");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Enter");
    expect(await page.locator("#toast").isVisible()).toBe(false);
    await page.keyboard.press("r");
    await page.keyboard.press("Enter");
    await page.getByText("two-keys.png: rejected.").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test("has no single-key shortcuts once they are switched off, in the settings or in their list", async () => {
    const [id] = await desk.uploads(74, "no-keys.png");
    await using visitor = await desk.enter();
    const { page } = visitor;
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await page.goto("/settings");
    await page
      .locator("main")
      .getByRole("checkbox", { name: /^Single-key shortcuts/ })
      .uncheck();
    await page.goto(`/assets/${id}?issue=74`);
    for (const key of ["?", "a", "/", "m", "1"]) await page.keyboard.press(key);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("BODY");
    expect([await dialog.isVisible(), new URL(page.url()).pathname]).toEqual([false, `/assets/${id}`]);
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await dialog.getByRole("checkbox", { name: /^Single-key shortcuts/ }).check();
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await dialog.waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test("names the query parameters that it ignores, and only those", async () => {
    await using visitor = await desk.enter({ javaScriptEnabled: false });
    const { page } = visitor;
    const notice = page.getByText("This page ignores");
    const paths = [
      "/feed?projekt=atlas&kind=run.failed",
      "/assets?state=pending&as=list",
      "/projects/atlas?lane=x",
    ];
    for (const path of paths) {
      await page.goto(path);
      expect(await notice.textContent()).toBe(
        `This page ignores an unknown query parameter: ${must(/\?(\w+)/.exec(path)?.[1])}. Check the URL.`,
      );
    }
    await page.goto("/docs/api?a=1&b=2&a=3");
    expect(await notice.textContent()).toBe(
      "This page ignores unknown query parameters: a, b. Check the URL.",
    );
    for (const path of [
      "/feed?kind=run.failed&kind=pr.opened&before=2026-01-01T00:00:00Z",
      "/assets?as=list",
    ]) {
      await page.goto(path);
      expect([path, await notice.count()]).toEqual([path, 0]);
    }
  });
});

describe.skipIf(!browserPath)("the library", () => {
  test("selects a range with Shift and a click, or with Shift and Space, and clears one alike", async () => {
    await desk.uploads(72, "1.png", "2.png", "3.png", "4.png", "5.png");
    await using visitor = await desk.enter();
    const { page } = visitor;
    for (const view of ["", "&as=list"]) {
      await page.goto(`/assets?issue=72${view}`);
      const box = (at: number) => page.locator(".choice input").nth(at);
      const selected = () =>
        page
          .locator(".choice input")
          .evaluateAll((boxes) =>
            boxes.map((one) => Number((one as { checked?: boolean }).checked)).join(""),
          );
      await box(1).click();
      await box(3).click({ modifiers: ["Shift"] });
      expect(await selected()).toBe("01110");
      await page.getByText("3 selected").waitFor();
      await box(4).focus();
      await page.keyboard.press("Shift+Space");
      expect(await selected()).toBe("01111");
      await box(2).click();
      await box(4).click({ modifiers: ["Shift"] });
      expect(await selected()).toBe("01000");
      await box(0).click({ modifiers: ["Shift"] });
      expect(await selected()).toBe("11111");
      await page.getByText("5 selected").waitFor();
    }
    expect(visitor.faults).toEqual([]);
  });

  test("links an uploaded file to its asset, also after the list was refreshed", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/assets");
    const buffer = Buffer.from(noisyPng(40, 40));
    await page.getByLabel("Choose files").setInputFiles({ name: "fresh.png", mimeType: "image/png", buffer });
    await page.locator(".tile", { hasText: "fresh.png" }).waitFor();
    await page.locator(".uploads").getByRole("link", { name: "fresh.png" }).click();
    await page.waitForURL(/\/assets\/\w+$/);
    await until(
      async () => (await page.getByRole("heading", { level: 1 }).textContent()) === "fresh.png",
      "the asset is open",
    );
  });
});
