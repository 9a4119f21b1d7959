/** Large uploads from a page in a real browser: they resume after a reload, and after a lost connection. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { AssetList } from "../../src/library/assets/schema.ts";
import { sha256 } from "../support/assets/upload-fields.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { temporaryFolder } from "../support/harness.ts";
import { bytesOf, MiB } from "../support/stores/store-sources.ts";

const desk = useReviewDesk();
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  if (!browserPath) return;
  folder = await temporaryFolder();
});
afterAll(async () => {
  await folder?.close();
});

const bytes = bytesOf(20 * MiB);
const row = (page: Page, name: string) => page.locator(".uploads li", { hasText: name });
/** Slows uploads of the page. @param perSecond in bytes; -1 for no limit */
async function limitUpload(page: Page, perSecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.emulateNetworkConditions", {
    ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: perSecond },
  });
}
const assetOf = async (title: string) =>
  (await desk.testServer.api<AssetList>("GET", "/assets?limit=200")).assets.find(
    (one) => one.title === title,
  );

describe.skipIf(!browserPath)("a large upload", () => {
  test("resumes after a reload when the same file is picked again", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    const path = join(folder.path, "reloaded.bin");
    await Bun.write(path, bytes);
    await page.goto("/assets");
    await limitUpload(page, 4 * MiB);
    await page.getByLabel("Choose files").setInputFiles(path);
    await row(page, "reloaded.bin")
      .getByText(/^[3-9]\d%, /)
      .waitFor();
    await page.reload();
    await limitUpload(page, -1);
    await page.getByLabel("Choose files").setInputFiles(path);
    await page.locator(".uploads li.done", { hasText: "reloaded.bin" }).waitFor();
    expect(visitor.requests.filter((one) => one.endsWith("/presign"))).toHaveLength(1);
    expect((await assetOf("reloaded.bin"))?.sha256).toBe(sha256(bytes));
    expect(await page.evaluate("Object.keys(localStorage)")).toEqual([]);
  });

  test("continues by itself after the server was restarted", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    const path = join(folder.path, "restarted.bin");
    await Bun.write(path, bytes);
    await page.goto("/assets");
    await limitUpload(page, 4 * MiB);
    await page.getByLabel("Choose files").setInputFiles(path);
    await row(page, "restarted.bin")
      .getByText(/^[2-9]\d%, /)
      .waitFor();
    await desk.testServer.server.kill();
    await row(page, "restarted.bin").getByText("Connection lost. Retrying…").waitFor();
    await desk.testServer.restart();
    await limitUpload(page, -1);
    await page.locator(".uploads li.done", { hasText: "restarted.bin" }).waitFor();
    expect((await assetOf("restarted.bin"))?.sha256).toBe(sha256(bytes));
  });

  test("waits while the server is still storing it", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    const path = join(folder.path, "stored.bin");
    await Bun.write(path, "some words");
    await page.goto("/assets");
    const busy = { type: "about:blank", title: "Service Unavailable", status: 503, detail: "Still storing." };
    await page.route("**/finalize", (route) => route.fulfill({ status: 503, json: busy }), { times: 2 });
    await page.getByLabel("Choose files").setInputFiles(path);
    await page.locator(".uploads li.done", { hasText: "stored.bin" }).waitFor();
    expect((await assetOf("stored.bin"))?.sha256).toBe(sha256("some words"));
  });
});
