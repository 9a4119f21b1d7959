/** The project page in a real browser: live, with its assets. */
import { describe, expect, test } from "bun:test";
import { noisyPng } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { until } from "../support/harness.ts";
import { openSession } from "../support/test-server.ts";

const desk = useReviewDesk();
const { enter } = desk;

describe.skipIf(!browserPath)("the project page", () => {
  test("shows new events, assets, decisions and usage as they come, and counts what waits for review", async () => {
    await using visitor = await enter({ timezoneId: "Asia/Kolkata" });
    const { page } = visitor;
    await page.goto("/projects/atlas");
    await page.getByText("No assets yet.").waitFor();
    await page.locator("#live[data-state=live]").waitFor();
    const { api, upload } = desk.testServer;
    await api("POST", "/events", {
      events: [
        {
          kind: "run.finished",
          actor: "agent:codex",
          project: "atlas",
          summary: "Run 9 finished",
          cost_equiv: 3,
        },
      ],
    });
    await page.locator("#project-events").getByText("Run 9 finished").waitFor();
    await page.locator("#project-facts").getByText("$3.00").waitFor();
    const first = await upload("harbor.png", noisyPng(64, 64));
    await upload("pier.png", noisyPng(60, 60));
    await page.getByRole("link", { name: "Review 2 pending" }).waitFor();
    expect(await page.locator("#project-assets .tile img").count()).toBe(2);
    await api("PUT", `/assets/${first.id}/review`, { decision: "rejected", note: "Too dark." });
    await page.locator("#project-decisions").getByText("Too dark.").waitFor();
    await page.getByRole("link", { name: "Review 1 pending" }).click();
    await page.waitForURL(/\/assets\/\w+\?project=atlas$/);
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("pier.png");
    expect(visitor.faults).toEqual([]);
  });

  test("does not take the keyboard focus away when it changes", async () => {
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto("/projects/atlas");
    await page.locator("#live[data-state=live]").waitFor();
    const link = page.locator("#project-assets").getByRole("link", { name: "pier.png" });
    await link.focus();
    const { api, upload } = desk.testServer;
    await upload("quay.png", noisyPng(50, 50));
    await page.locator("#project-events").getByText("Uploaded quay.png, version 1").waitFor();
    expect(await link.and(page.locator(":focus")).count()).toBe(1);
    await page.evaluate("document.activeElement.blur()");
    await api("POST", "/events", {
      events: [{ kind: "run.started", actor: "agent:codex", project: "atlas", summary: "Run 10" }],
    });
    await until(
      async () => (await page.getByText("Review 2 pending").count()) === 1,
      "the assets are current",
    );
  });

  test("without scripts shows the state when it was loaded; without the scope it has no assets", async () => {
    await using visitor = await enter({ javaScriptEnabled: false });
    await visitor.page.goto("/projects/atlas");
    expect(await visitor.page.locator("#live").isVisible()).toBe(false);
    expect(await visitor.page.locator("#project-assets .tile").count()).toBe(3);
    const token = await desk.testServer.mint("reader-only", ["feed:read"]);
    const { origin } = desk.testServer.server;
    const [session] = await openSession(origin, token);
    const cookie = `${session?.name}=${session?.value}`;
    const html = await (await fetch(`${origin}/projects/atlas`, { headers: { cookie } })).text();
    expect([html.includes("Recent runs and events"), html.includes("project-assets")]).toEqual([true, false]);
  });
});
