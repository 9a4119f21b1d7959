/** Two videos on one clock. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { browserPath } from "../../support/browser/browser.ts";
import { useReviewDesk } from "../../support/browser/review-desk.ts";
import { until } from "../../support/harness.ts";

const desk = useReviewDesk();
const clip = (name: string) => Bun.file(join(import.meta.dir, "../../support/clips", name)).bytes();
const videos = <T>(page: Page, what: (video: HTMLVideoElement) => T) =>
  page.evaluate(`[...document.querySelectorAll("video")].map(${what})`) as Promise<T[]>;

describe.skipIf(!browserPath)("two videos side by side", () => {
  test("are played, paused, sought, and stepped together; one is heard, and the longer one plays on", async () => {
    const first = await desk.testServer.upload("walk.webm", await clip("four-seconds.webm"));
    const second = await desk.testServer.upload("walk.webm", await clip("two-seconds.webm"), {
      replaces: first.id,
    });
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto(`/assets/${second.id}?with=${first.id}`);
    const all = async (what: (video: HTMLVideoElement) => boolean) =>
      (await videos(page, what)).every(Boolean);
    await until(() => all((video) => video.readyState > 1), "both are read");
    expect(await videos(page, (video) => video.muted)).toEqual([true, false]);
    await page.locator(".clock").getByRole("button", { name: "v1" }).click();
    expect(await videos(page, (video) => video.muted)).toEqual([false, true]);
    await page.locator("h1").click();
    await page.keyboard.press("Space");
    await until(() => all((video) => video.currentTime > 0.2), "both have begun");
    await page.getByRole("button", { name: "Pause both" }).click();
    await until(() => all((video) => video.paused), "both have stopped");
    const [left = 0, right = 0] = await videos(page, (video) => video.currentTime);
    expect(Math.abs(left - right)).toBeLessThan(0.3);

    await page.getByRole("slider", { name: "Time of both" }).fill("1");
    await until(() => all((video) => video.currentTime === 1 && !video.seeking), "both are there");
    await page.keyboard.press(".");
    await page.getByRole("button", { name: "Both forward one frame" }).click();
    await until(() => all((video) => !video.seeking), "both have stepped");
    const stepped = await videos(page, (video) => video.currentTime.toFixed(2));
    expect(new Set(stepped).size).toBe(1);
    expect(Number(stepped[0])).toBeGreaterThan(1);

    await page.getByRole("slider", { name: "Time of both" }).fill("3");
    await until(() => all((video) => !video.seeking && video.currentTime >= 2), "one is at its end");
    await page.getByRole("button", { name: "Play both" }).click();
    await until(
      async () => ((await videos(page, (video) => video.currentTime))[0] ?? 0) > 3.1,
      "the longer plays",
    );
    expect((await videos(page, (video) => video.currentTime))[1]).toBe(2);
    expect(visitor.faults).toEqual([]);
  });
});
