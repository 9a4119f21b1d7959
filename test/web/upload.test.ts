/** Uploading from a page in a real browser: drop, paste, pick; slow and broken connections. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { AssetList } from "../../src/library/assets/schema.ts";
import { noisyPng } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";

const desk = useReviewDesk({ SVC_MAX_UPLOAD_BYTES: "1000000" });

const file = (name: string, size = 200) => ({
  name,
  mimeType: "image/png",
  buffer: Buffer.from(noisyPng(size, size)),
});
const row = (page: Page, name: string) => page.locator(".uploads li", { hasText: name });
const titles = async () =>
  (await desk.testServer.api<AssetList>("GET", "/assets?limit=200")).assets.map((one) => one.title);

/** Files as a page receives them from a mouse or a clipboard. */
const handOver = (page: Page, kind: "drop" | "paste", ...names: string[]) =>
  page.evaluate(`(() => {
    const data = new DataTransfer();
    for (const name of ${JSON.stringify(names)}) data.items.add(new File(["words of " + name], name, { type: "text/plain" }));
    const init = { bubbles: true, cancelable: true };
    document.body.dispatchEvent(
      "${kind}" === "drop" ? new DragEvent("drop", { ...init, dataTransfer: data }) : new ClipboardEvent("paste", { ...init, clipboardData: data }),
    );
  })()`);

describe.skipIf(!browserPath)("an upload", () => {
  test("accepts dropped and pasted files, one at a time, and shows them in the library", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/assets");
    await page.locator(".upload-box > summary").click();
    await page.getByLabel("For issue").fill("12");
    await handOver(page, "drop", "dropped-1.txt", "dropped-2.txt");
    await handOver(page, "paste", "pasted.txt");
    await page.locator(".uploads li.done").nth(2).waitFor();
    await page.locator(".tile", { hasText: "pasted.txt" }).waitFor();
    expect((await titles()).toSorted()).toEqual(["dropped-1.txt", "dropped-2.txt", "pasted.txt"]);
    const { assets } = await desk.testServer.api<AssetList>("GET", "/assets?issue=12");
    expect(assets.map((one) => [one.created_by, one.project])).toEqual(Array(3).fill(["human:ana", "atlas"]));
    const puts = visitor.requests.map((one, at) => (one.startsWith("PUT") ? at : -1)).filter((at) => at >= 0);
    const ends = visitor.requests
      .map((one, at) => (one.endsWith("/finalize") ? at : -1))
      .filter((at) => at >= 0);
    expect(puts.every((put, at) => at === 0 || put > (ends[at - 1] as number))).toBe(true);
    expect(visitor.faults).toEqual([]);
  });

  test("can be canceled halfway, leaves nothing, and can be retried", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/assets");
    const line = await visitor.context.newCDPSession(page);
    const speed = (uploadThroughput: number) =>
      line.send("Network.emulateNetworkConditions", {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput,
      });
    await speed(40_000);
    await page.getByLabel("Choose files").setInputFiles(file("slow.png"));
    await row(page, "slow.png")
      .getByText(/^\d+%, /)
      .waitFor();
    await row(page, "slow.png").getByRole("button", { name: "Cancel: slow.png" }).click();
    await row(page, "slow.png").getByText("Canceled").waitFor();
    expect(await titles()).not.toContain("slow.png");
    await speed(-1);
    await row(page, "slow.png").getByRole("button", { name: "Retry: slow.png" }).click();
    await page.locator(".uploads li.done", { hasText: "slow.png" }).waitFor();
    expect((await titles()).filter((title) => title === "slow.png").length).toBe(1);
  });

  test("shows when the connection is lost, and continues with the next file", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/assets");
    const sent: string[] = [];
    await page.route("**/api/assets/upload/**", (route, request) =>
      sent.push(request.url()) === 1 ? route.abort() : route.continue(),
    );
    await page.getByLabel("Choose files").setInputFiles([file("broken.png"), file("whole.png")]);
    await row(page, "broken.png").getByText("Connection lost").waitFor();
    await page.locator(".uploads li.done", { hasText: "whole.png" }).waitFor();
    await row(page, "broken.png").getByRole("button", { name: "Retry: broken.png" }).click();
    await page.locator(".uploads li.done", { hasText: "broken.png" }).waitFor();
  });

  test("shows the service's error message", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/assets");
    await page.getByLabel("Choose files").setInputFiles(file("huge.png", 700));
    await row(page, "huge.png")
      .getByText(/rejected \(HTTP 413\)|Connection lost/)
      .waitFor();
    expect(await titles()).not.toContain("huge.png");
    await page.getByLabel("For issue").fill("3000000000");
    await page.getByLabel("Choose files").setInputFiles(file("odd.png"));
    await row(page, "odd.png").getByText(/issue/).waitFor();
    expect(await titles()).not.toContain("odd.png");
  });

  test("without scripts is a form that leads to the new asset's review desk, also for a new version", async () => {
    await using visitor = await desk.enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto("/assets");
    await page.locator(".upload-box > summary").click();
    await page.getByLabel("For issue").fill("77");
    await page.getByLabel("Choose files").setInputFiles(file("plain.png"));
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("plain.png");
    await page.locator("#versions > summary").click();
    await page.getByLabel("Upload version 2").setInputFiles(file("better.png", 210));
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    await page.getByText("version 2", { exact: true }).waitFor();
    const { assets } = await desk.testServer.api<AssetList>("GET", "/assets?issue=77&status=pending");
    expect(assets.map(({ title, version, created_by }) => [title, version, created_by])).toEqual([
      ["plain.png", 2, "human:ana"],
    ]);
  });
});
