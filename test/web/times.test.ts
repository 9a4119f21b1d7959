/** Times in the viewer's time zone. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { browserPath, openBrowserSession } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { must, program, until } from "../support/harness.ts";

const desk = useReviewDesk();
const timezoneId = "Asia/Kolkata"; // UTC+05:30

/** Two events that are on one day in UTC and on two in India, at 23:45:10 and 00:15:20. */
async function importEvents(): Promise<void> {
  const { env } = desk.testServer;
  const lines = ["2026-01-05T18:15:10Z", "2026-01-05T18:45:20.5Z"].map((ts, at) =>
    JSON.stringify({ ts, kind: "run.started", actor: "agent:zone", summary: `Run ${at}`, project: "atlas" }),
  );
  const file = `${must(env.SVC_DATA_DIR)}/zone.ndjson`;
  await Bun.write(file, lines.join("\n"));
  expect((await program(["event", "import", file], env)).code).toBe(0);
}

/** Each day with its rows. */
const days = (page: Page) =>
  page
    .locator(".day")
    .evaluateAll((sections) =>
      sections.map((section) => [
        section.querySelector("h2")?.textContent,
        ...[...section.querySelectorAll("time")].map((time) => time.textContent),
      ]),
    );

/** How far the content of a page has moved since its first paint (the browser's layout shift score). */
const layoutShift = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const shift of list.getEntries()) sum += shift.value;
    }).observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
  })`);

describe.skipIf(!browserPath)("a time", () => {
  test("is in the viewer's zone, with UTC on hover, under the viewer's day, and nothing moves", async () => {
    await importEvents();
    await using visitor = await desk.enter({ timezoneId });
    const { page } = visitor;
    await page.goto("/feed?actor=agent:zone");
    expect(await days(page)).toEqual([
      ["Tuesday, 6 January 2026", "00:15:20"],
      ["Monday, 5 January 2026", "23:45:10"],
    ]);
    expect(await page.locator("time").first().getAttribute("title")).toBe("2026-01-05 18:45:20 UTC");
    await page.getByText(/^Times are in Asia\/(Kolkata|Calcutta)$/).waitFor();
    expect(await layoutShift(page)).toBe(0);
    expect(visitor.faults).toEqual([]);
  });

  test("is in the viewer's zone in rows that are loaded later", async () => {
    const lines = Array.from({ length: 60 }, (_, at) => ({
      kind: "step.usage",
      actor: "agent:late",
      summary: `Step ${at}`,
    }));
    await desk.testServer.api("POST", "/events", { events: lines });
    await using visitor = await desk.enter({ timezoneId });
    const { page } = visitor;
    await page.goto("/feed?actor=agent:late");
    await until(async () => {
      await page.mouse.wheel(0, 3000);
      return page.getByText("Step 0", { exact: true }).isVisible();
    }, "the oldest event is shown");
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: timezoneId, timeStyle: "medium" });
    const times = await page
      .locator(".event time")
      .evaluateAll((list) => list.map((time) => [time.textContent, time.getAttribute("datetime")]));
    expect(times.length).toBe(60);
    expect(times.map(([text]) => text)).toEqual(times.map(([, ts]) => clock.format(new Date(must(ts)))));
  });

  test("of a version and of a review is its age, with the time in the viewer's zone on hover", async () => {
    const [id] = await desk.uploads(31, "zoned.png");
    await desk.testServer.api("PUT", `/assets/${id}/review`, { decision: "approved" });
    const { reviewed_at } = await desk.assetOf(id);
    const zoned = (options: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat("en-GB", { timeZone: timezoneId, ...options }).format(
        new Date(must(reviewed_at)),
      );
    const date = { day: "numeric", month: "short", year: "numeric" } as const;
    await using visitor = await desk.enter({ timezoneId });
    await visitor.page.goto(`/assets/${id}`);
    for (const place of [".current-review time", ".versions time"]) {
      const time = visitor.page.locator(place);
      expect(await time.textContent()).toMatch(/^(just now|\d+ minutes? ago)$/);
      expect(await time.getAttribute("title")).toContain(zoned(date));
    }
  });

  test("is in UTC without scripts, and the page says so", async () => {
    await using visitor = await openBrowserSession(desk.browser, desk.testServer.server.origin, {
      cookies: await desk.testServer.session(),
      timezoneId,
      javaScriptEnabled: false,
    });
    const { page } = visitor;
    await page.goto("/feed?actor=agent:zone");
    expect(await page.locator(".day h2").allInnerTexts()).toEqual(["Monday, 5 January 2026"]);
    expect(await page.locator(".event time").allInnerTexts()).toEqual(["18:45:20", "18:15:10"]);
    await page.getByText("Times are in UTC").waitFor();
  });
});
