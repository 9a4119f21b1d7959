/** Unsent reviews survive sign-outs and expired sessions; files on a separate content origin. */
import { describe, expect, test } from "bun:test";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { png } from "../support/assets/media.ts";
import { browserPath, openBrowserSession } from "../support/browser/browser.ts";
import {
  passUndoTime,
  stopClock,
  toast,
  toastAfterUndoTime,
  useReviewDesk,
} from "../support/browser/review-desk.ts";
import { until } from "../support/harness.ts";
import { openSession, openTestServer } from "../support/test-server.ts";

const desk = useReviewDesk();
const { enter, assetOf, statusOf, uploads } = desk;

const zoe = { decision: "rejected", note: "Too dark.", by: "human:zoe" };

describe.skipIf(!browserPath)("an unsent review", () => {
  /** A visitor with a session of its own, which the test ends. */
  const enterAlone = async () =>
    enter({ cookies: await openSession(desk.testServer.server.origin, desk.testServer.token) });

  test("is saved before the reviewer is signed out", async () => {
    const ids = (await uploads(30, "one.png", "two.png", "three.png")).toReversed() as [
      string,
      string,
      string,
    ];
    await using visitor = await enterAlone();
    const { page } = visitor;
    await page.route("**/web/assets/*/review", async (route) => {
      await Bun.sleep(200); // longer than a sign-out takes
      await route.continue();
    });
    await page.goto(`/assets/${ids[0]}?issue=30`);
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/assets/${ids[1]}?issue=30`);
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/assets/${ids[2]}?issue=30`);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    expect(await Promise.all(ids.map(statusOf))).toEqual(["approved", "approved", "pending"]);
    const writes = visitor.requests.filter((one) => /^(PUT|POST)/.test(one)).map((one) => one.split(" ")[0]);
    expect(writes).toEqual(["PUT", "PUT", "POST"]);
  });

  test("that is rejected keeps the reviewer signed in until the error was shown", async () => {
    const [id] = await uploads(31, "late.png");
    await using visitor = await enterAlone();
    const { page } = visitor;
    await page.goto(`/assets/${id}?issue=31`);
    await desk.testServer.api("PUT", `/assets/${id}/review`, zoe);
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Sign out" }).click();
    await toast(page, /^late\.png was not approved: human:zoe rejected /);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("link", { name: "Sign in" }).waitFor();
  });

  test("survives the end of the session, with a message, and is saved after the next sign-in", async () => {
    const [id] = await uploads(32, "ended.png");
    await using visitor = await enterAlone();
    const { page, context } = visitor;
    await stopClock(page);
    await page.goto(`/assets/${id}?issue=32`);
    await page.keyboard.press("r");
    await page.keyboard.type("Too dark.");
    await page.keyboard.press("Control+Enter");
    await context.clearCookies();
    await toastAfterUndoTime(page, "Your session has ended. Sign in again to send your review.");
    expect(await statusOf(id)).toBe("pending");
    await page.locator("#toast").getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Token").fill(desk.testServer.token);
    await page.locator("main").getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`**/assets/${id}?issue=32`);
    await passUndoTime(page, async () => (await assetOf(id)).review_note === "Too dark.", "it is written");
  });

  test("is not sent with another token's session", async () => {
    const [id] = await uploads(33, "whose.png");
    await using visitor = await enterAlone();
    const { page, context } = visitor;
    await stopClock(page);
    await page.goto(`/assets/${id}?issue=33`);
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await context.clearCookies();
    await toastAfterUndoTime(page, /^Your session has ended/);
    await context.addCookies(
      await openSession(desk.testServer.server.origin, await desk.testServer.mint("bob", allScopes)),
    );
    await page
      .locator("#toast")
      .getByRole("link", { name: "Sign in" })
      .evaluate((link) => ((link as HTMLAnchorElement).href = location.href));
    await page.locator("#toast").getByRole("link", { name: "Sign in" }).click();
    await toast(page, "A review by ana was not sent: whose.png, approved. Sign in as ana to send it.");
    await page.clock.runFor(11_000);
    expect(await statusOf(id)).toBe("pending");
  });

  /** Approves an asset, whose next desk the server holds back until the reviewer has left. */
  async function approveAndHold(held: (next: string) => string, issue: number) {
    const [last, first] = (await uploads(issue, "left.png", "next.png")) as [string, string];
    const visitor = await enter();
    const { page } = visitor;
    await page.goto(`/assets/${first}?issue=${issue}`);
    const asked = Promise.withResolvers<void>();
    // A route of Playwright holds all requests for a moment, and loses them when the page is closed then.
    const protocol = await page.context().newCDPSession(page);
    protocol.once("Fetch.requestPaused", () => asked.resolve()); // never answered
    await protocol.send("Network.setCacheDisabled", { cacheDisabled: true });
    await protocol.send("Fetch.enable", { patterns: [{ urlPattern: held(last) }] });
    await page.locator("#review [value=approved]").click({ noWaitAfter: true });
    await asked.promise;
    return { visitor, first };
  }

  test("is saved if the tab is closed before the next desk has answered", async () => {
    const { visitor, first } = await approveAndHold((next) => `*/assets/${next}\\?*`, 35);
    await using _visitor = visitor;
    await visitor.page.close({ runBeforeUnload: true });
    await until(async () => (await statusOf(first)) === "approved", "it is written");
  });

  test.each([
    ["the next desk has answered", (next: string) => `*/assets/${next}\\?*`, 36],
    ["the scripts of the next desk have run", () => "*/review-desk.js*", 37],
  ] as const)("is saved if another page is chosen before %s", async (_, held, issue) => {
    const { visitor, first } = await approveAndHold(held, issue);
    await using _visitor = visitor;
    await visitor.page.goto("/memory");
    await until(async () => (await statusOf(first)) === "approved", "it is written");
  });

  test("that was sent on leaving the page with an expired session is saved after the next sign-in", async () => {
    const [id] = await uploads(34, "left.png");
    await using visitor = await enterAlone();
    const { page, context } = visitor;
    await page.goto(`/assets/${id}?issue=34`);
    await page.keyboard.press("a");
    await page.keyboard.press("Enter");
    await toast(page, "left.png: approved.");
    const cookies = await context.cookies();
    await context.clearCookies();
    await page.goto("/assets?issue=34");
    await page.getByLabel("Token").waitFor();
    expect(await statusOf(id)).toBe("pending");
    await context.addCookies(cookies);
    await page.goto("/assets?issue=34");
    await until(async () => (await statusOf(id)) === "approved", "it is written");
  });
});

describe.skipIf(!browserPath)("files on a separate content origin", () => {
  test("are uploaded, shown, and read by the pages, and nothing else is requested there", async () => {
    const free = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const { port } = free;
    await free.stop(true);
    const bytesOrigin = `http://localhost:${port}`;
    await using apart = await openTestServer("sqlite", "disk", { SVC_CONTENT_URL: bytesOrigin }, port);
    const options = {
      cookies: await openSession(apart.server.origin, apart.token),
      otherOrigins: [bytesOrigin],
    };
    await using visitor = await openBrowserSession(desk.browser, apart.server.origin, options);
    const { page } = visitor;
    const canvas = await desk.browser.newPage();
    await canvas.setContent("<h1>Plan</h1>");
    const plan = await canvas.pdf();
    await canvas.close();
    await page.goto("/assets");
    await page.getByLabel("Choose files").setInputFiles([
      { name: "map.png", mimeType: "image/png", buffer: Buffer.from(png(40, 30)) },
      { name: "plan.pdf", mimeType: "application/pdf", buffer: plan },
      { name: "report.html", mimeType: "text/html", buffer: Buffer.from("<h1>Report</h1>") },
    ]);
    await until(async () => (await page.locator(".uploads li.done").count()) === 3, "all are assets");
    const open = async (title: string) => {
      await page.goto("/assets");
      await page.locator(".tile").getByRole("link", { name: title }).click();
    };
    await open("map.png");
    await until(
      () => page.evaluate("document.querySelector('.stage img')?.naturalWidth === 40"),
      "the image is shown",
    );
    await open("plan.pdf");
    await page.mouse.move(5, 5);
    await page.locator(".sheet.drawn").waitFor();
    await open("report.html");
    expect(await page.frameLocator("iframe").locator("h1").textContent()).toBe("Report");
    const there = visitor.requests.filter((one) => one.includes(bytesOrigin));
    expect(there.length).toBeGreaterThan(0);
    expect(there.filter((one) => !/^GET [^ ]+\/api\/assets\/(view|thumb|bundle)\//.test(one))).toEqual([]);
    expect(visitor.faults).toEqual([]);
  });
});
