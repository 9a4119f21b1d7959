/**
 * The site in a real browser against the real program: complete user stories, and no script errors, policy
 * violations, or requests to other hosts.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import type { ProjectDetail } from "../../src/overview/projects/schema.ts";
import { html, noisyPng, png } from "../support/assets/media.ts";
import { browserPath, openBrowser, openBrowserSession, tabTo } from "../support/browser/browser.ts";
import { must, program, scaled, until } from "../support/harness.ts";
import { deployments } from "../support/library.ts";
import { openTestServer, type TestServer } from "../support/test-server.ts";

let browser: Browser;
beforeAll(async () => {
  if (browserPath) browser = await openBrowser();
});
afterAll(() => browser?.close());

/** Pages know neither; in the suite, the tests with the keyboard have a disk and SQLite. */
const kinds = scaled<typeof deployments>([{ dialect: "postgres", place: "bucket" }], deployments);

const image = (name: string, bytes: Uint8Array) => ({
  name,
  mimeType: "image/png",
  buffer: Buffer.from(bytes),
});
/** Waits until a review that was sent on leaving the page is saved. */
const decided = (testServer: TestServer) =>
  until(
    async () => (await testServer.api<ProjectDetail>("GET", "/projects/atlas")).decisions.length > 0,
    "the note is a decision",
  );
const heading = (page: Page): Locator => page.getByRole("heading", { level: 1 });

describe.skipIf(!browserPath)("the review desk", () => {
  test.each(kinds)(
    "takes an image from its first version to a permanent URL, on $dialect and $place",
    async (kind) => {
      await using testServer = await openTestServer(kind.dialect, kind.place);
      const { env, server, token, otherOrigins } = testServer;
      await using visitor = await openBrowserSession(browser, server.origin, { otherOrigins });
      const { page } = visitor;

      await page.goto("/assets");
      expect(await heading(page).textContent()).toBe("Sign in");
      await page.getByLabel("Token").fill(token);
      await page.getByRole("main").getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL("**/assets");

      const line = await visitor.context.newCDPSession(page);
      await line.send("Network.emulateNetworkConditions", {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: 600_000,
      });
      const first = image("chart.png", noisyPng(320, 320));
      const report = { name: "report.html", mimeType: "text/html", buffer: Buffer.from(html) };
      await page.getByLabel("Choose files").setInputFiles([first, report]);
      const uploads = page.locator(".uploads li");
      await uploads
        .first()
        .getByText(/^\d+%, [\d.]+ MB\/s$/)
        .waitFor();
      await until(
        async () => (await page.locator(".uploads li.done").count()) === 2,
        "both files are assets",
      );
      await line.send("Network.emulateNetworkConditions", {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput: -1,
      });
      await page.locator(".tile", { hasText: "chart.png" }).waitFor();

      await page.locator(".tile", { hasText: "chart.png" }).getByRole("link").click();
      await page.getByLabel(/^Upload version 2/).setInputFiles(image("chart-2.png", png(320, 320)));
      await page.getByText("version 2", { exact: true }).first().waitFor();
      expect(await heading(page).textContent()).toBe("chart.png");

      await page.getByRole("link", { name: "Difference" }).click();
      await page.waitForURL(/mode=difference/);
      expect(await page.locator("#over img").count()).toBe(2);

      await page.getByLabel("Note").fill("The chart lost its noise. Draw it again.");
      await page.getByRole("button", { name: /^Reject/ }).click();
      await page.getByText("chart.png: rejected.").waitFor();
      expect(await heading(page).textContent()).toBe("report.html");
      await page.getByRole("link", { name: "Projects" }).click();
      await decided(testServer);
      await page.getByRole("link", { name: "atlas", exact: true }).click();
      await page.getByText("The chart lost its noise. Draw it again.").first().waitFor();
      expect((await program(["brief", "atlas", "draw the chart"], env)).output).toContain(
        "The chart lost its noise. Draw it again.",
      );

      await page.getByRole("link", { name: "rejected asset" }).click();
      await page.getByLabel(/^Upload version 3/).setInputFiles(image("chart-3.png", noisyPng(320, 320)));
      await page.getByText("version 3", { exact: true }).first().waitFor();
      await page
        .locator(".requirements")
        .getByText("The chart lost its noise. Draw it again.")
        .first()
        .waitFor();
      const desk = page.url();
      await page.getByRole("button", { name: /^Approve/ }).click();
      await page.getByText("chart.png: approved.").waitFor();
      await page.getByRole("link", { name: "Feed" }).click();
      const approved = page.getByRole("link", { name: "Approved chart.png, version 3" }).first();
      expect(await approved.getAttribute("href")).toBe("/assets?project=atlas");

      await page.goto(desk);
      await page.locator("summary", { hasText: "Publish" }).click();
      await page.getByRole("button", { name: "Publish this file" }).click();
      const address = must(await page.locator(".public-url p a").getAttribute("href"));
      expect(visitor.faults).toEqual([]);

      const stranger = await browser.newContext();
      const response = must(await (await stranger.newPage()).goto(address));
      expect([response.status(), response.headers()["content-type"]]).toEqual([200, "image/png"]);
      expect(await response.body()).toEqual(first.buffer);
      await stranger.close();
    },
  );

  test("works with the keyboard alone", async () => {
    await using testServer = await openTestServer("sqlite", "disk");
    await using visitor = await openBrowserSession(browser, testServer.server.origin, {
      viewport: { width: 1280, height: 800 },
    });
    const { page } = visitor;
    const press = async (target: Locator, key = "Enter") => {
      await tabTo(page, target);
      await page.keyboard.press(key);
    };
    const choose = async (target: Locator, file: ReturnType<typeof image>) => {
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), press(target)]);
      await chooser.setFiles(file);
    };

    await page.goto("/assets");
    await tabTo(page, page.getByLabel("Token"));
    await page.keyboard.type(testServer.token);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/assets");
    await press(page.locator("summary", { hasText: "Upload" }));
    await choose(page.getByLabel("Choose files"), image("plan.png", noisyPng(64, 64)));
    await page.locator(".uploads li.done").waitFor();
    await press(page.getByRole("link", { name: "plan.png" }).first());
    await press(page.locator("#versions > summary"));
    await choose(page.getByLabel(/^Upload version 2/), image("plan-2.png", png(64, 64)));
    await page.getByText("version 2", { exact: true }).first().waitFor();

    expect(await page.getByRole("figure").count()).toBe(2);
    await page.keyboard.press("1");
    await page.waitForURL(/with=none/);
    expect(await page.getByRole("figure").count()).toBe(0);
    await page.keyboard.press("2");
    await page.waitForURL(/with=[^n]/);
    await press(page.getByRole("link", { name: "Wipe" }));
    await tabTo(page, page.locator("#slide"));
    await page.keyboard.press("End");
    expect(await page.locator("#over .upper").getAttribute("style")).toContain("inset(0px 0px 0px 100%)");
    expect(await page.locator("[data-scale]").textContent()).toBe("Fit");
    await page.keyboard.press("+");
    expect(await page.locator("[data-scale]").textContent()).toBe("150%");
    await tabTo(page, page.locator("#over"), true);
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("#over .upper").getAttribute("style")).toContain("translate(-40px");
    await page.keyboard.press("1");
    await page.waitForURL(/with=none/);

    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await keys.waitFor();
    await page.keyboard.press("Escape");
    await keys.waitFor({ state: "hidden" });
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await page.getByText("plan.png: approved.").waitFor();
    await page.keyboard.press("u");
    await page.getByText("Review undone.").waitFor();
    await page.keyboard.press("r");
    await page.keyboard.type("Nothing is on it.");
    await page.keyboard.press("Control+Enter");
    await page.getByText("plan.png: rejected.").waitFor();
    await press(page.getByRole("link", { name: "Projects" }));
    await decided(testServer);
    await press(page.getByRole("link", { name: "atlas", exact: true }));
    await page.getByText("Nothing is on it.").first().waitFor();

    await press(page.getByRole("link", { name: "rejected asset" }));
    await press(page.locator("#versions > summary"));
    await choose(page.getByLabel(/^Upload version 3/), image("plan-3.png", noisyPng(64, 64)));
    await page.getByText("version 3", { exact: true }).first().waitFor();
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await page.getByText("plan.png: approved.").waitFor();
    await page.reload();
    await page.locator(".current-review").getByText("approved").waitFor();
    await press(page.locator("summary", { hasText: "Publish" }));
    await press(page.getByRole("button", { name: "Publish this file" }), "Space");
    const address = must(await page.locator(".public-url p a").getAttribute("href"));
    await visitor.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await press(page.getByRole("button", { name: "Copy" }));
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(address);
    await press(page.getByRole("button", { name: "Sign out" }));
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    expect((await fetch(address)).status).toBe(200);
    expect(visitor.faults).toEqual([]);
  });
});
