/** `svc_report_run`: an agent that has nothing but MCP reports its work. */
import { describe, expect, test } from "bun:test";
import type { Scope } from "../../../src/core/auth/scopes.ts";
import type { Event } from "../../../src/feed/schema.ts";
import {
  connectHttp,
  generations,
  type ToolAnswer,
  textOf,
  toolCall,
} from "../../support/agents/mcp-clients.ts";
import {
  dialects,
  linkIn,
  migratedDatabase,
  openApp,
  program,
  startServer,
  type TestApp,
} from "../../support/harness.ts";

const start = { action: "start", project: "atlas", run: "run-7", summary: "Draw the coast" };
const steps = [1, 2].map((step) => ({
  ...{ action: "step", project: "atlas", run: "run-7", step, summary: `Step ${step}` },
  ...{ model: "model-1", lane: "lane_a", tokens_in: 100 * step, tokens_out: 10, cost_equiv: 0.5 },
}));
const finish = { action: "finish", project: "atlas", run: "run-7", summary: "Drew it", duration_ms: 61_250 };

test.each(generations)("a client, %s, reports a whole run, and its usage adds up", async (generation) => {
  await using database = await migratedDatabase("sqlite");
  await linkIn(database);
  const { output } = await program(
    ["token", "create", "runner", "--scopes", "feed:read,feed:write", "--json"],
    {
      SVC_DATABASE_URL: database.url,
    },
  );
  const { token } = JSON.parse(output) as { token: string };
  await using server = await startServer(database, { SVC_LANES: "lane_a,lane_b,lane_c" });
  await using connected = await connectHttp(generation, server.origin, token);
  const reports = [
    start,
    ...steps,
    { ...finish, by: "agent:codex", issue: 12, model: "model-1", lane: "lane_a" },
  ];
  for (const args of reports) {
    const answer = (await connected.client.callTool({
      name: "svc_report_run",
      arguments: args,
    })) as ToolAnswer;
    expect([textOf(answer), answer.structuredContent]).toEqual([
      expect.stringContaining('"accepted":1'),
      { accepted: 1, duplicates: 0, run_id: "run-7" },
    ]);
  }
  const read = async (path: string) =>
    (await fetch(`${server.origin}/api/v1${path}`, { headers: { authorization: `Bearer ${token}` } })).json();
  const { events } = (await read("/feed?project=atlas&limit=4")) as { events: Event[] };
  expect(events.toReversed()).toMatchObject([
    { kind: "run.started", actor: "bot:runner", summary: "Draw the coast" },
    { kind: "step.usage", tokens_in: 100, cost_equiv: 0.5, model: "model-1", lane: "lane_a" },
    { kind: "step.usage", tokens_in: 200, cost_equiv: 0.5 },
    { kind: "run.finished", actor: "agent:codex", issue: 12, duration_ms: 61_250, tokens_in: 0 },
  ]);
  const { usage } = (await read("/projects/atlas/usage")) as { usage: object[] };
  expect(usage).toMatchObject([
    { lane: "lane_a", model: "model-1", runs: 1, failures: 0, tokens_in: 300, tokens_out: 20, cost_equiv: 1 },
  ]);
});

describe.each(dialects)("on %s, svc_report_run", (dialect) => {
  const open = async (scopes: Scope[] = ["feed:write"]) => {
    const app = await openApp(dialect);
    await app.ctx.data.atomically((writes) => writes.linkProject({ slug: "atlas", repo: "acme/atlas" }, 1));
    const token = await app.mint(scopes, { name: "runner" });
    const hook = async (phase: "started" | "finished", run_id: string) => {
      const event = { kind: `run.${phase}`, actor: "agent:codex", project: "atlas", summary: "A session" };
      const json = { events: [{ ...event, run_id, dedupe_key: `hook:codex:${run_id}:${phase}` }] };
      expect((await app.ask("/api/v1/events", { json, token })).status).toBe(200);
    };
    const report = async (args: object): Promise<ToolAnswer> => {
      const response = await app.ask("/mcp", { ...toolCall("modern", "svc_report_run", { ...args }), token });
      return ((await response.json()) as { result: ToolAnswer }).result;
    };
    return { app, report, hook, [Symbol.asyncDispose]: () => app.close() };
  };
  const newest = (app: TestApp) => app.ctx.data.feed(null, { limit: 9 });

  test("adds nothing when a call is repeated, or when the run has already ended", async () => {
    await using opened = await open();
    const { app, report } = opened;
    for (const args of [start, ...steps, finish]) {
      expect((await report(args)).structuredContent).toEqual({ accepted: 1, duplicates: 0, run_id: "run-7" });
      expect((await report(args)).structuredContent).toEqual({ accepted: 0, duplicates: 1, run_id: "run-7" });
    }
    expect((await report({ ...finish, action: "fail" })).structuredContent).toMatchObject({
      accepted: 0,
      duplicates: 1,
    });
    expect(await newest(app)).toHaveLength(4);
    expect((await report({ ...start, run: "run-8" })).structuredContent).toMatchObject({ accepted: 1 });
    const failed = await report({ ...finish, run: "run-8", action: "fail" });
    expect(failed.structuredContent).toMatchObject({ accepted: 1 });
    expect(JSON.parse((await newest(app))[0]?.wire ?? "")).toMatchObject({ kind: "run.failed" });
  });

  test("gives the events of a run its id, and the run the one that started it", async () => {
    await using opened = await open();
    const { app, report } = opened;
    for (const args of [start, ...steps, finish]) await report({ ...args, parent: "run-6" });
    const run = await app.ctx.data.run(null, "atlas", start.run);
    expect(run).toMatchObject({ status: "finished", parent: "run-6", steps: steps.length });
    expect(await app.ctx.data.feed(null, { run_id: start.run, limit: 9 })).toHaveLength(2 + steps.length);
  });

  test("adds to the session that hooks report, whatever id the agent chooses, and does not end it", async () => {
    await using opened = await open(["feed:read", "feed:write"]);
    const { app, report, hook } = opened;
    const ids = async (args: object) => (await report(args)).structuredContent;
    await hook("started", "session-1");
    for (const args of [start, { ...start, run: undefined, summary: "Also" }, ...steps, finish]) {
      expect(await ids(args)).toEqual({ accepted: 1, duplicates: 0, run_id: "session-1" });
      expect(await ids(args)).toEqual({ accepted: 0, duplicates: 1, run_id: "session-1" });
    }
    const next = { ...start, issue: 12, summary: "The next task" };
    expect(await ids(next)).toMatchObject({ accepted: 1, run_id: "session-1" });
    const { runs } = await app.ctx.data.runs(null, { limit: 9 });
    expect(runs).toMatchObject([
      { id: "session-1", status: "running", actor: "agent:codex", issue: 12, tokens_in: 300, cost_equiv: 1 },
    ]);
    expect(await ids({ ...finish, action: "fail" })).toMatchObject({ accepted: 1, run_id: "session-1" });
    expect((await app.ctx.data.runs(null, { limit: 9 })).runs).toMatchObject([{ status: "failed" }]);
  });

  test("starts a run of its own for a subagent, after the session, and beside a second session", async () => {
    await using opened = await open(["feed:read", "feed:write"]);
    const { report, hook } = opened;
    const idOf = async (args: object) =>
      ((await report(args)).structuredContent as { run_id: string }).run_id;
    await hook("started", "session-1");
    expect(await idOf({ ...start, run: "sub", parent: "session-1" })).toBe("sub");
    expect(await idOf({ ...start, run: "sub", action: "step", step: 1 })).toBe("sub");
    await hook("started", "session-2");
    expect(await idOf({ ...start, run: "of-two" })).toBe("of-two");
    await hook("finished", "session-1");
    await hook("finished", "session-2");
    expect(await idOf({ ...start, run: "after" })).toBe("after");
  });

  test("refuses what POST /events refuses, and names the field", async () => {
    await using opened = await open();
    const { app, report } = opened;
    const refusals: [object, RegExp][] = [
      [{ ...start, run: undefined }, /^run is required, as hooks report no run of yours/],
      [{ ...start, action: "step" }, /^step is required for the action step/],
      [{ ...start, project: "nope" }, /^project: no project with slug 'nope'/],
      [{ ...start, lane: "lane_x" }, /^lane must be one of/],
      [{ ...start, tokens_in: -1 }, /^tokens_in must be an integer from 0/],
      [{ ...start, url: "http://example.com" }, /^url must be an https URL/],
      [{ ...start, by: "codex" }, /^by must be/],
      [{ ...start, action: "stop" }, /^action must be one of start, step, finish, fail/],
      [{ ...start, summary: "two\nlines" }, /^summary must be one line/],
      [{ ...start, run: "event:7" }, /^run: the prefix event: is reserved/],
      [{ ...start, run: "r".repeat(129) }, /^run must be/],
    ];
    for (const [args, why] of refusals) {
      const answer = await report(args);
      expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringMatching(why)]);
    }
    expect(await newest(app)).toEqual([]);
  });

  test("needs the scope feed:write", async () => {
    await using opened = await open(["feed:read", "memory:write"]);
    const answer = await opened.report(start);
    expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringContaining("feed:write")]);
  });
});
