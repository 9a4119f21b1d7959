/** The page of a run: its facts, what it made and was told, and its events, live and without scripts. */
import { describe, expect, test } from "bun:test";
import { timelineLength } from "../../src/overview/runs/run-page.ts";
import { noisyPng } from "../support/assets/media.ts";
import { browserPath } from "../support/browser/browser.ts";
import { useReviewDesk } from "../support/browser/review-desk.ts";
import { linkIn, must } from "../support/harness.ts";
import { openSession } from "../support/test-server.ts";

const desk = useReviewDesk();
const { enter } = desk;

const eventOf = (run_id: string, kind: string, summary: string, more: object = {}) => ({
  ...{ run_id, kind, summary, actor: "agent:codex", project: "atlas", issue: 7 },
  ...more,
});
const step = { tokens_in: 900, tokens_out: 40, cost_equiv: 0.25 };
const send = (...events: object[]) => desk.testServer.api("POST", "/events", { events });

describe.skipIf(!browserPath)("the page of a run", () => {
  test("shows how it went, what it made, what reviewers answered, and the attempts around it", async () => {
    await send(eventOf("first", "run.started", "Started"), eventOf("first", "run.failed", "Out of disk"));
    await send(
      eventOf("second", "run.started", "Started"),
      eventOf("second", "step.usage", "Read the map", { ...step, model: "claude-sonnet-4-5" }),
      eventOf("second", "run.finished", "Drew the harbor", { duration_ms: 95_000 }),
      eventOf("child", "run.started", "Looked up depths", { parent_run_id: "second", issue: 8 }),
    );
    const { api, upload } = desk.testServer;
    const made = await upload("harbor.png", noisyPng(64, 64), { issue: "7", run_id: "second" });
    await api("PUT", `/assets/${made.id}/review`, { decision: "rejected", note: "Too dark." });
    await send(eventOf("third", "run.started", "Third try"));
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto("/runs/second");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("1 asset by codex");
    expect(await page.locator("#run-summary").textContent()).toBe("Drew the harbor");
    for (const fact of ["$0.25", "2 min", "900 in, 40 out", "claude-sonnet-4-5"])
      expect(await page.locator("#run-facts").getByText(fact, { exact: true }).count()).toBe(1);
    expect(await page.locator("#run-assets .tile").getByText("rejected").count()).toBe(1);
    expect(await page.locator("#run-assets .tile img").count()).toBe(1);
    expect(await page.locator("#run-answers").getByText("Too dark.").count()).toBe(1);
    expect(await page.locator("#run-related").getByText("Looked up depths").count()).toBe(1);
    expect(await page.getByRole("img", { name: "Cost over" }).getAttribute("aria-label")).toContain("$0.25");
    await page.getByRole("link", { name: "Previous attempt failed" }).click();
    await page.locator("#run-summary").getByText("Out of disk").waitFor();
    await page.keyboard.press("j");
    await page.locator("#run-summary").getByText("Drew the harbor").waitFor();
    await page.keyboard.press("j");
    await page.locator("#run-summary").getByText("Third try").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test("says where to answer an agent that waits, with the command that returns there, as Today does", async () => {
    const { api } = desk.testServer;
    await api("PUT", "/people/dana", { name: "Dana Okafor", link: ["email:dana@example.com"] });
    const hook = (phase: string) => ({
      ...{ issue: 13, branch: "13-tide-tables", email: "dana@example.com" },
      dedupe_key: `hook:codex:waits:${phase}:1`,
    });
    await send(
      eventOf("waits", "run.started", "Started", hook("start")),
      eventOf("waits", "step.usage", "Codex session asks for an answer", hook("waiting")),
      eventOf("waits/1", "run.started", "Looked up", { ...hook("start"), parent_run_id: "waits" }),
      eventOf("odd;id", "run.started", "Started", {
        issue: 14,
        branch: "odd",
        dedupe_key: "hook:codex:odd:start",
      }),
      eventOf("odd;id", "step.usage", "Asks", { issue: 14, dedupe_key: "hook:codex:odd:waiting:1" }),
    );
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto("/runs/waits");
    const place = page.locator(".session-place");
    expect(await place.locator("p").first().textContent()).toBe(
      "Answer in its session: Codex of Dana Okafor, in a clone of acme/atlas on the branch 13-tide-tables.",
    );
    expect(await place.locator("pre").textContent()).toBe("codex resume waits");
    await page.goto("/runs/odd;id");
    expect(await place.locator("pre").count()).toBe(0);
    await page.goto("/");
    await page.locator(".inbox-items li", { hasText: "13-tide-tables" }).locator(".item-look").click();
    await place.getByText("codex resume waits").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test("draws each step at its time, by the clock of its sender", async () => {
    const at = (second: number) => new Date(Date.parse("2026-01-02T10:00:00Z") + second * 1000).toISOString();
    await send(
      eventOf("timed", "run.started", "Started", { issue: 11, ts: at(0) }),
      eventOf("timed", "step.usage", "Read", { ...step, issue: 11, ts: at(40), duration_ms: 20_000 }),
      eventOf("timed", "run.finished", "Ended", { issue: 11, ts: at(100), duration_ms: 100_000 }),
    );
    await using visitor = await enter({ javaScriptEnabled: false });
    await visitor.page.goto("/runs/timed");
    const read = visitor.page.locator("#run-timeline li", { hasText: "Read" });
    expect(await read.locator(".elapsed").textContent()).toBe("+40 s");
    const bar = read.locator(".waterfall rect");
    expect([await bar.getAttribute("x"), await bar.getAttribute("width")]).toEqual(["200.0", "200.0"]);
  });

  test("moves while the run is in flight", async () => {
    await send(eventOf("flying", "run.started", "Took off", { issue: 9 }));
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto("/runs/flying");
    await page.locator("#live[data-state=live]").waitFor();
    await send(eventOf("flying", "step.usage", "Over the sea", { ...step, issue: 9 }));
    await page.locator("#run-timeline").getByText("Over the sea").waitFor();
    await page.locator("#run-facts").getByText("$0.25").waitFor();
    await send(eventOf("flying", "run.finished", "Landed", { issue: 9 }));
    await page.locator("#run-summary").getByText("Landed").waitFor();
    await page.locator("#run-head").getByText("finished").waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test("without scripts shows the newest events of a long run, and earlier ones page by page", async () => {
    const steps = Array.from({ length: timelineLength + 20 }, (_, at) =>
      eventOf("long", "step.usage", `Step ${at}.`, { issue: 10 }),
    );
    await send(...steps);
    await using visitor = await enter({ javaScriptEnabled: false });
    const { page } = visitor;
    await page.goto("/runs/long");
    const summaries = page.locator("#run-timeline .event-summary");
    expect(await summaries.count()).toBe(timelineLength);
    expect(await summaries.last().textContent()).toBe(`Step ${timelineLength + 19}.`);
    await page.getByRole("link", { name: "Show earlier events" }).click();
    expect(await summaries.allTextContents()).toEqual(Array.from({ length: 20 }, (_, at) => `Step ${at}.`));
    await page.getByRole("link", { name: "Back to latest" }).click();
    expect(await summaries.count()).toBe(timelineLength);
  });

  test("without the scope for assets names what it made; an unknown run is not found", async () => {
    const { testServer } = desk;
    const token = await testServer.mint("run-reader", ["feed:read"]);
    const [session] = await openSession(testServer.server.origin, token);
    const cookie = `${session?.name}=${session?.value}`;
    const get = (path: string) => fetch(testServer.server.origin + path, { headers: { cookie } });
    const html = await (await get("/runs/second")).text();
    expect([html.includes("assets:read"), html.includes("Too dark.")]).toEqual([true, false]);
    expect((await get("/runs/nowhere")).status).toBe(404);
    expect((await get("/runs/second?before=yesterday")).status).toBe(400);
    expect((await fetch(`${testServer.server.origin}/runs/second`)).status).toBe(401);
  });

  test("asks which project is meant when several have a run of this id", async () => {
    await linkIn({ url: must(desk.testServer.env.SVC_DATABASE_URL) }, "borealis");
    await send(eventOf("shared", "run.started", "Here"), {
      ...eventOf("shared", "run.started", "There"),
      project: "borealis",
    });
    await using visitor = await enter();
    const { page } = visitor;
    await page.goto("/runs/shared");
    await page.getByRole("link", { name: "borealis", exact: true }).click();
    await page.locator("#run-summary").getByText("There").waitFor();
  });
});
