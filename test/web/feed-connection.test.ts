/** The feed in a real browser when the connection, the server or the session goes away. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import type { FeedPage } from "../../src/feed/schema.ts";
import { browserPath, openBrowserSession, signIn } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { program, until } from "../support/harness.ts";

const desk = useReviewDesk();

const say = (summary: string, fields: object = {}) =>
  desk.testServer.api("POST", "/events", {
    events: [{ kind: "run.started", actor: "agent:codex", project: "atlas", summary, ...fields }],
  });

/** What the rows say; those of runs without their title. */
const shown = async (page: Page) =>
  (await page.locator(".event .what").allInnerTexts()).map((text) => text.replace(/^Run of codex ?/, ""));
const state = (page: Page) => page.locator("#live").textContent();
const isLive = (page: Page) => until(async () => (await state(page))?.includes("Live"), "the page is live");

describe.skipIf(!browserPath)("the feed page without a connection", () => {
  test("says that it is offline, and catches up", async () => {
    await using visitor = await desk.enter();
    const { page, context } = visitor;
    await page.goto("/feed");
    await isLive(page);
    await context.setOffline(true);
    await until(async () => (await state(page))?.includes("Offline"), "the page knows that it is offline");
    await say("Sent while offline");
    await context.setOffline(false);
    await page.getByText("Sent while offline").waitFor();
    await isLive(page);
  });

  test("offers events that it could not fetch, and shows them on click or after reconnecting", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/feed");
    await isLive(page);
    let isBroken = true;
    await page.route("**/web/feed-rows?*", (route) => (isBroken ? route.abort() : route.continue()));
    await say("Lost on its way");
    await page.getByRole("button", { name: "1 new event" }).waitFor();
    isBroken = false;
    await page.evaluate('dispatchEvent(new Event("online"))');
    await page.getByText("Lost on its way").waitFor();
    expect(await page.locator("#news").isHidden()).toBe(true);
  });

  test("closes its stream while the tab is hidden, and catches up when it is visible again", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/feed");
    await isLive(page);
    const become = (state: string) =>
      page.evaluate(
        `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true }); document.dispatchEvent(new Event("visibilitychange"));`,
      );
    await become("hidden");
    visitor.requests.length = 0;
    await say("Sent to a hidden page");
    await become("visible");
    await page.getByText("Sent to a hidden page").waitFor();
    const streams = visitor.requests.filter((one) => one.includes("/web/feed/stream"));
    expect(streams.length).toBe(1);
    expect(visitor.faults).toEqual([]);
  });

  test("says that it reconnects when the service is away, and misses nothing", async () => {
    await using visitor = await desk.enter();
    const { page } = visitor;
    await page.goto("/feed");
    await isLive(page);
    const found: (string | null)[] = [];
    const watching = until(
      async () => found.push(await state(page)) && found.at(-1)?.includes("Reconnecting"),
      "the page knows that its line broke",
    );
    await desk.testServer.restart();
    await watching;
    await say("Said after the restart");
    await page.getByText("Said after the restart").waitFor();
    await isLive(page);
    const { events } = await desk.testServer.api<FeedPage>("GET", "/feed?limit=10");
    expect((await shown(page)).slice(0, 10).map((text) => text.split("\n")[0])).toEqual(
      events.map((one) => one.summary),
    );
  });

  test("says that the session has ended once its token is revoked; the next page asks to sign in", async () => {
    const token = await desk.testServer.mint("leaver", ["feed:read"]);
    await using visitor = await openBrowserSession(desk.browser, desk.testServer.server.origin);
    const { page } = visitor;
    await signIn(page, token);
    await page.goto("/feed");
    await isLive(page);
    expect((await program(["token", "revoke", "leaver"], desk.testServer.env)).code).toBe(0);
    await page.getByText("Your session has ended").waitFor();
    await page.locator("#live").getByRole("link", { name: "sign in" }).click();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Sign in");
    await page.goto("/projects");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Sign in");
  });
});
