/** The site in a real browser, in front of the real program: the stories people live there, and what must never happen on a page. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { allScopes } from "../src/auth/scopes.ts";
import type { Environment } from "../src/config.ts";
import { browserPath, openBrowser, visit } from "./browser.ts";
import { type Dialect, freshDatabase, must, program, type Server, startServer, until } from "./harness.ts";
import { openPlace, type StorePlace } from "./library.ts";
import { html, noisyPng, png } from "./media.ts";

let browser: Browser;
beforeAll(async () => {
  if (browserPath) browser = await openBrowser();
});
afterAll(() => browser?.close());

const kinds = [
  { dialect: "sqlite", place: "disk" },
  { dialect: "postgres", place: "bucket" },
] as const;

interface House extends AsyncDisposable {
  env: Environment;
  server: Server;
  token: string;
  /** Where pages may send bytes to besides the site. */
  others: string[];
}

/** A server with the project `atlas`, and a token of `ana` with every scope. */
async function openHouse(dialect: Dialect, place: StorePlace): Promise<House> {
  const stack = new AsyncDisposableStack();
  const database = stack.use(await freshDatabase(dialect));
  const opened = stack.use(await openPlace(place));
  const env = { ...opened.env, SVC_DATABASE_URL: database.url };
  await program(["project", "link", "atlas", "--repo", "acme/atlas"], env);
  const { output } = await program(["token", "create", "ana", "--scopes", allScopes.join(",")], env);
  const server = stack.use(await startServer(database, env));
  const others = place === "bucket" ? [new URL(must(opened.env.S3_ENDPOINT)).origin] : [];
  return { env, server, token: output.trim(), others, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const picture = (name: string, bytes: Uint8Array) => ({ name, mimeType: "image/png", buffer: Buffer.from(bytes) });
const heading = (page: Page): Locator => page.getByRole("heading", { level: 1 });

describe.skipIf(!browserPath)("the review desk", () => {
  test.each([...kinds])("takes a picture from its first version to a permanent address, on $dialect and $place", async (kind) => {
    await using house = await openHouse(kind.dialect, kind.place);
    const { env, server, token, others } = house;
    await using visitor = await visit(browser, server.origin, { others });
    const { page } = visitor;

    await page.goto("/assets");
    expect(await heading(page).textContent()).toBe("Sign in");
    await page.getByLabel("Token").fill(token);
    await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("**/assets");

    const line = await visitor.context.newCDPSession(page);
    await line.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 600_000 });
    const first = picture("chart.png", noisyPng(320, 320));
    const report = { name: "report.html", mimeType: "text/html", buffer: Buffer.from(html) };
    await page.getByLabel("Choose files").setInputFiles([first, report]);
    const uploads = page.locator(".uploads li");
    await uploads
      .first()
      .getByText(/^\d+ %, [\d.]+ MB\/s$/)
      .waitFor();
    await until(async () => (await page.locator(".uploads li.done").count()) === 2, "both files are assets");
    await line.send("Network.emulateNetworkConditions", { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
    await page.locator(".tile", { hasText: "chart.png" }).waitFor();

    await page.locator(".tile", { hasText: "chart.png" }).getByRole("link").click();
    await page.getByLabel(/^Upload version 2/).setInputFiles(picture("chart-2.png", png(320, 320)));
    await page.getByText("version 2", { exact: true }).first().waitFor();
    expect(await heading(page).textContent()).toBe("chart.png");

    await page.getByRole("link", { name: "Compare with version 1" }).click();
    await page.getByRole("link", { name: "Difference" }).click();
    await page.waitForURL(/with=\w+&mode=difference/);
    expect(await page.locator("#over img").count()).toBe(2);

    await page.getByLabel("Note").fill("The chart lost its noise. Draw it again.");
    await page.getByRole("button", { name: /^Reject/ }).click();
    await page.getByText("chart.png: rejected.").waitFor();
    expect(await heading(page).textContent()).toBe("report.html");
    await page.getByRole("link", { name: "Projects" }).click();
    await page.getByRole("link", { name: "atlas", exact: true }).click();
    await page.getByText("The chart lost its noise. Draw it again.").first().waitFor();
    expect((await program(["brief", "atlas", "draw the chart"], env)).output).toContain("The chart lost its noise. Draw it again.");

    await page.getByRole("link", { name: "the rejected asset" }).click();
    await page.getByLabel(/^Upload version 3/).setInputFiles(picture("chart-3.png", noisyPng(320, 320)));
    await page.getByText("version 3", { exact: true }).first().waitFor();
    await page.locator(".asked").getByText("The chart lost its noise. Draw it again.").first().waitFor();
    const desk = page.url();
    await page.getByRole("button", { name: /^Approve/ }).click();
    await page.getByText("chart.png: approved.").waitFor();
    await page.getByRole("link", { name: "Feed" }).click();
    await page.getByText("Approved chart.png, version 3").first().waitFor();

    await page.goto(desk);
    await page.getByRole("button", { name: "Publish" }).click();
    const address = must(await page.locator(".permanent a").getAttribute("href"));
    expect(visitor.faults).toEqual([]);

    const anybody = await browser.newContext();
    const response = must(await (await anybody.newPage()).goto(address));
    expect([response.status(), response.headers()["content-type"]]).toEqual([200, "image/png"]);
    expect(await response.body()).toEqual(first.buffer);
    await anybody.close();
  });
});
