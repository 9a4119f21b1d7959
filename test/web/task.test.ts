/** The page of a task: from a rejection to the approved version, on one page. */
import { describe, expect, test } from "bun:test";
import { noisyPng } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { openSession } from "../support/test-server.ts";

const desk = useReviewDesk();
const { enter } = desk;
const task = { actor: "agent:codex", project: "atlas", issue: 7 };
const send = (...events: object[]) => desk.testServer.api("POST", "/events", { events });
const review = (id: string, decision: string, note?: string) =>
  desk.testServer.api("PUT", `/assets/${id}/review`, { decision, ...(note && { note }) });

/** A run that is given a brief, costs a dollar, and uploads a version. */
async function attempt(run_id: string, fields: Record<string, string> = {}): Promise<string> {
  const { api, upload } = desk.testServer;
  await send({ ...task, run_id, kind: "run.started", summary: `Began ${run_id}` });
  await api("GET", `/projects/atlas/brief?issue=7&run_id=${run_id}`);
  const { id } = await upload("harbor.png", noisyPng(60, 60), { issue: "7", run_id, ...fields });
  await send({ ...task, run_id, kind: "run.finished", summary: `Ended ${run_id}`, cost_equiv: 1 });
  return id;
}

describe.skipIf(!browserPath)("the page of a task", () => {
  test("shows the versions side by side, and the way of a rejection into the next brief and version", async () => {
    await send({
      ...{ kind: "issue.opened", actor: "human:mara", project: "atlas", issue: 7 },
      summary: "Issue #7 opened: Draw the harbor",
    });
    const first = await attempt("one");
    await review(first, "rejected", "The jetties overlap.");
    const second = await attempt("two", { replaces: first });
    await review(second, "approved");
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto("/projects/atlas/issues/7");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Draw the harbor");
    expect(await page.locator("#task-story").textContent()).toBe(
      "2 versions, 1 rejected, 1 approved. $2.00 in 2 runs, $1.00 of it for rejected versions.",
    );
    const [before, after] = [page.locator(".attempt").first(), page.locator(".attempt").last()];
    expect(await before.locator("blockquote").textContent()).toBe("The jetties overlap.");
    expect(await before.locator(".status").textContent()).toContain("rejected");
    expect(await before.locator(".consequences").textContent()).toMatch(
      /Became decision \d+.*In the brief of two.*Then came version 2/,
    );
    expect(await after.locator(".status").textContent()).toContain("approved");
    expect(await page.locator("#task-runs tbody tr").count()).toBe(2);
    const scenes = await page.locator("#task-film .scene").allInnerTexts();
    expect(scenes.map((text) => text.replaceAll(/\s+/g, " ").trim())).toEqual([
      expect.stringMatching(/^Brief given .* finished Run/),
      expect.stringMatching(/^The jetties overlap. harbor.png Version 1 rejected/),
      expect.stringMatching(/^Brief given \d+ characters The jetties overlap. finished Run/),
      expect.stringMatching(/^harbor.png Version 2 approved Difference/),
    ]);
    expect(await page.locator("#task-film mark").textContent()).toBe("The jetties overlap.");
    expect(await page.locator("#task-events").getByText("Issue #7 opened").count()).toBe(1);
    await page.locator("#live[data-state=live]").waitFor();
    await send({ ...task, run_id: "three", kind: "run.started", summary: "Began three" });
    await page.locator("#task-runs").getByText("Began three").waitFor();
    await before.getByRole("link", { name: "two" }).click();
    await page.locator("#run-summary").getByText("Ended two").waitFor();
    await page.getByRole("link", { name: "issue #7", exact: true }).click();
    await page.getByRole("heading", { name: "Draw the harbor" }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test("shows a pull request by what names it", async () => {
    await send({
      ...{ kind: "pr.opened", actor: "human:mara", project: "atlas", pr: 8 },
      summary: "PR #8 opened: A quieter map",
    });
    const { api } = desk.testServer;
    await api("POST", "/projects/atlas/claims", {
      subjects: ["PR 8"],
      note: "Softer colors",
      by: "human:mara",
    });
    await using visitor = await enter({ javaScriptEnabled: false });
    await visitor.page.goto("/projects/atlas/pulls/8");
    expect(await visitor.page.locator("#task-claim").textContent()).toMatch(
      /^Claimed by .*mara.* since .*, until .*: Softer colors$/,
    );
    expect(await visitor.page.getByRole("heading", { level: 1 }).textContent()).toBe("A quieter map");
    expect(await visitor.page.locator(".outside").getAttribute("href")).toBe(
      "https://github.com/acme/atlas/pull/8",
    );
    expect(await visitor.page.getByText("No assets for this task yet.").count()).toBe(1);
  });

  test("is one for an issue and its pull requests, with the title, the stage and both numbers", async () => {
    await send(
      {
        ...{ kind: "issue.opened", actor: "human:mara", project: "atlas", issue: 21 },
        summary: "Issue #21 opened: Show the tides",
      },
      { ...task, issue: 21, run_id: "tides", kind: "run.started", summary: "Began" },
      { ...task, issue: 21, run_id: "tides", kind: "run.finished", summary: "Ended" },
      {
        ...{ kind: "pr.merged", actor: "human:mara", project: "atlas", issue: 21, pr: 22 },
        summary: "PR #22 merged: Tides",
      },
    );
    await using visitor = await enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto("/tasks");
    await page
      .locator(".board-column", { hasText: "Merged" })
      .getByRole("link", { name: "Show the tides" })
      .click();
    expect(new URL(page.url()).pathname).toBe("/projects/atlas/issues/21");
    await page.goto("/projects/atlas/pulls/22");
    expect(new URL(page.url()).pathname).toBe("/projects/atlas/issues/21");
    expect((await page.locator("main .head").first().textContent())?.replaceAll(/\s+/g, " ")).toContain(
      "Show the tides Merged",
    );
    expect(await page.locator(".crumbs").textContent()).toMatch(/issue #21.*pull request #22, merged/s);
    await page.goto("/tasks?as=table&sort=runs&stage=merged");
    expect(await page.locator("tbody tr").allInnerTexts()).toEqual([
      expect.stringContaining("Show the tides"),
    ]);
  });

  test("is not found for an unknown project or task, and has no assets without their scope", async () => {
    const { testServer } = desk;
    const token = await testServer.mint("task-reader", ["feed:read"]);
    const [session] = await openSession(testServer.server.origin, token);
    const cookie = `${session?.name}=${session?.value}`;
    const get = (path: string) => fetch(testServer.server.origin + path, { headers: { cookie } });
    for (const path of ["atlas/issues/99", "nowhere/issues/7", "atlas/issues/seven", "atlas/pulls/0"])
      expect([path, (await get(`/projects/${path}`)).status]).toEqual([path, 404]);
    const html = await (await get("/projects/atlas/issues/7")).text();
    expect([html.includes("Ended one"), html.includes("The jetties overlap.")]).toEqual([true, false]);
  });
});
