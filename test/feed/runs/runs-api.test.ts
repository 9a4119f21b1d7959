/** Runs over HTTP and MCP, and on the command line. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { fromMicros, secondMicros, toMicros } from "../../../src/core/lib/time.ts";
import type { Run, RunPage } from "../../../src/feed/runs/schema.ts";
import type { RunDetail } from "../../../src/overview/runs/schema.ts";
import { dialects, link, must, openApp, type TestApp } from "../../support/harness.ts";

const noon = toMicros("2026-03-01T12:00:00Z");

describe.each(dialects)("runs on %s", (dialect) => {
  let app: TestApp;
  let token: string;
  let atlasOnly: string;
  beforeAll(async () => {
    app = await openApp(dialect, { SVC_RUN_TIMEOUT: "1800" });
    for (const slug of ["atlas", "borealis"]) await link(app.ctx.data, slug);
    token = await app.mint(["feed:read", "feed:write", "memory:read", "memory:write"]);
    atlasOnly = await app.mint(["feed:read", "feed:write"], { projects: ["atlas"] });
  });
  afterAll(() => app.close());

  const events = async (...list: object[]) => {
    const common = { actor: "agent:codex", summary: "A summary", project: "atlas", kind: "step.usage" };
    const json = { events: list.map((one) => ({ ...common, ...one })) };
    const response = await app.ask("/api/v1/events", { method: "POST", token, json });
    return [response.status, await response.json()] as const;
  };
  const ask = async <T>(path: string, as = token): Promise<[status: number, body: T]> => {
    const response = await app.ask(`/api/v1${path}`, { token: as });
    return [response.status, (await response.json()) as T];
  };
  const idsOf = async (query: string, as = token) =>
    (await ask<RunPage>(`/runs?${query}`, as))[1].runs.map(({ id }) => id);

  test("are listed by cost, duration or steps, on pages", async () => {
    for (const [run_id, cost_equiv, duration_ms] of [
      ["cheap and long", 1, 9_000],
      ["dear", 3, 5_000],
      ["dear and short", 3, 1_000],
    ] as const)
      await events({ kind: "run.finished", run_id, lane: "lane_b", cost_equiv, duration_ms });
    await events({ run_id: "dear", lane: "lane_b" });
    expect(await idsOf("lane=lane_b&sort=duration")).toEqual(["cheap and long", "dear", "dear and short"]);
    expect((await idsOf("lane=lane_b&sort=steps"))[0]).toBe("dear");
    const [, first] = await ask<RunPage>("/runs?lane=lane_b&sort=cost&limit=2");
    expect(first.runs.map(({ cost_equiv }) => cost_equiv)).toEqual([3, 3]);
    const [, last] = await ask<RunPage>(`/runs?lane=lane_b&sort=cost&limit=2&cursor=${first.next_cursor}`);
    expect([last.runs.map(({ id }) => id), last.next_cursor]).toEqual([["cheap and long"], null]);
  });

  test("add up what their events report", async () => {
    await events(
      { kind: "run.started", run_id: "sum", issue: 12, summary: "Run 7 started" },
      {
        run_id: "sum",
        issue: 12,
        model: "m-1",
        tokens_in: 100,
        cache_read: 7,
        cost_equiv: 0.25,
        lane: "lane_a",
      },
      { run_id: "sum", issue: 12, model: "m-2", tokens_in: 50, tokens_out: 9, cost_equiv: 0.5 },
      { kind: "run.finished", run_id: "sum", issue: 12, summary: "Run 7 finished", duration_ms: 61_250 },
    );
    const [status, run] = await ask<RunDetail>("/runs/sum");
    expect(status).toBe(200);
    expect(run).toMatchObject({
      ...{ id: "sum", project: "atlas", issue: 12, pr: null, actor: "agent:codex", models: ["m-1", "m-2"] },
      ...{ lane: "lane_a", status: "finished", duration_ms: 61_250, steps: 2, summary: "Run 7 finished" },
      ...{ tokens_in: 150, tokens_out: 9, cache_read: 7, cache_write: 0, cost_equiv: 0.75, parent: null },
    });
    expect(run.events.map(({ kind }) => kind)).toEqual([
      "run.started",
      "step.usage",
      "step.usage",
      "run.finished",
    ]);
    expect(await ask<{ count: number }>("/feed?run_id=sum")).toMatchObject([200, { count: 4 }]);
  });

  test("take the sender's time, whatever the order in which its events arrive", async () => {
    const at = (seconds: number) => fromMicros(noon - 3600 * secondMicros + seconds * secondMicros);
    await events({ kind: "run.finished", run_id: "late", ts: at(60), summary: "Done" });
    await events({ run_id: "late", ts: at(30), summary: "Half" });
    await events({ kind: "run.started", run_id: "late", ts: at(0), summary: "Begun" });
    expect((await ask<Run>("/runs/late"))[1]).toMatchObject({
      ...{ status: "finished", summary: "Done", started_at: at(0), ended_at: at(60), duration_ms: 60_000 },
    });
    await events({ kind: "run.started", run_id: "late", ts: at(90), summary: "Begun again" });
    expect((await ask<Run>("/runs/late"))[1]).toMatchObject({ status: "running", ended_at: null });
  });

  test("are lost without an event for SVC_RUN_TIMEOUT, and revived by the next one", async () => {
    await events({ kind: "run.started", run_id: "silent", actor: "agent:silent" });
    const statusNow = async () => (await ask<Run>("/runs/silent"))[1].status;
    expect(await statusNow()).toBe("running");
    app.clock.advance(1801 * secondMicros);
    expect(await statusNow()).toBe("lost");
    expect(await idsOf("status=lost&actor=agent:silent")).toEqual(["silent"]);
    expect(await idsOf("status=running&actor=agent:silent")).toEqual([]);
    await events({ run_id: "silent", actor: "agent:silent" });
    expect(await statusNow()).toBe("running");
    expect(await idsOf("status=running&actor=agent:silent")).toEqual(["silent"]);
  });

  test("without a run_id go from the start to the end of the same actor and task", async () => {
    const actor = "agent:plain";
    await events(
      { actor, issue: 40, summary: "Before it began" },
      { actor, issue: 40, kind: "run.started" },
      { actor, issue: 40, tokens_in: 5 },
      { actor, issue: 41, tokens_in: 100, summary: "Another task" },
      { actor: "agent:other", issue: 40, tokens_in: 100 },
      { actor, issue: 40, kind: "run.failed", summary: "It failed" },
      { actor, issue: 40, tokens_in: 100, summary: "After its end" },
    );
    const [, { runs }] = await ask<RunPage>(`/runs?actor=${actor}`);
    expect(runs).toMatchObject([
      { status: "failed", steps: 1, tokens_in: 5, issue: 40, summary: "It failed" },
    ]);
    const run = must(runs[0]);
    expect(run.id).toMatch(/^event:\d+$/);
    const [, detail] = await ask<RunDetail>(`/runs/${run.id}`);
    expect(detail.events.map(({ kind }) => kind)).toEqual(["run.started", "step.usage", "run.failed"]);
  });

  test("of a task follow each other, and know the runs that they started", async () => {
    await events({ kind: "run.started", run_id: "first", issue: 77 });
    await events({ kind: "run.failed", run_id: "first", issue: 77 });
    await events({ kind: "run.started", run_id: "second", issue: 77 });
    await events({ kind: "run.started", run_id: "helper", issue: 77, parent_run_id: "second" });
    const second = (await ask<RunDetail>("/runs/second"))[1];
    expect([second.previous?.id, second.next?.id, second.children.map(({ id }) => id)]).toEqual([
      "first",
      "helper",
      ["helper"],
    ]);
    expect(await idsOf("parent=second")).toEqual(["helper"]);
    expect((await ask<Run>("/runs/helper"))[1].parent).toBe("second");
  });

  test("are filtered, and paged by their newest event", async () => {
    const runs = Array.from({ length: 7 }, (_, index) => `page-${index}`);
    for (const run_id of runs)
      await events({ kind: "run.started", run_id, actor: "agent:pager", model: "m-9", lane: "lane_b" });
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page: RunPage = (
        await ask<RunPage>(`/runs?actor=agent:pager&limit=3${cursor && `&cursor=${cursor}`}`)
      )[1];
      expect(page.count).toBeLessThanOrEqual(3);
      seen.push(...page.runs.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(runs.toReversed());
    expect(await idsOf("model=m-9&lane=lane_b&project=atlas&limit=2")).toEqual(["page-6", "page-5"]);
    expect(await idsOf("model=m-8")).toEqual([]);
    expect(await ask("/runs?lane=nowhere")).toMatchObject([400, {}]);
    expect(await ask("/runs?status=gone")).toMatchObject([400, {}]);
  });

  test("of projects that a token may not see do not exist for it", async () => {
    await events({ kind: "run.started", run_id: "hidden", project: "borealis" });
    await events({ kind: "run.started", run_id: "both" });
    await events({ kind: "run.started", run_id: "both", project: "borealis" });
    expect(await ask("/runs/hidden", atlasOnly)).toMatchObject([404, { detail: "No run with id 'hidden'." }]);
    expect(await ask("/runs/hidden?project=borealis", atlasOnly)).toMatchObject([404, {}]);
    expect(await idsOf("project=borealis", atlasOnly)).toEqual([]);
    expect(await idsOf("limit=200", atlasOnly)).not.toContain("hidden");
    expect((await ask<Run>("/runs/both", atlasOnly))[1].project).toBe("atlas");
    expect(await ask("/runs/both")).toMatchObject([
      400,
      { detail: "Several projects have a run 'both'. Add project, for example project=atlas." },
    ]);
    expect((await ask<Run>("/runs/both?project=borealis"))[1].project).toBe("borealis");
  });

  test("cannot take an id that the service derives, or one that is too long", async () => {
    expect(await events({ run_id: "event:7" })).toMatchObject([
      400,
      { detail: "events[0].run_id: the prefix event: is reserved; use another one." },
    ]);
    expect((await events({ run_id: "x".repeat(129) }))[0]).toBe(400);
    expect((await events({ run_id: "" }))[0]).toBe(400);
    expect((await events({ run_id: "y".repeat(128) }))[0]).toBe(200);
  });
});
