/** Sessions of the past are added at their own times, once, and tell nobody. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Event } from "../../src/feed/schema.ts";
import type { BackfillResult } from "../../src/integrations/backfill/schema.ts";
import { startDelivery } from "../../src/integrations/webhooks/delivery/delivery.ts";
import { dialects, link, openApp, type TestApp, until } from "../support/harness.ts";
import { startReceiver } from "../support/webhooks/event-receiver.ts";
import { addWebhooks, newWebhook } from "../support/webhooks/webhook-rows.ts";

describe.each(dialects)("a backfill on %s", (dialect) => {
  let app: TestApp;
  let token: string;
  beforeAll(async () => {
    app = await openApp(dialect, { SVC_WEBHOOK_ALLOW: "127.0.0.1" });
    token = await app.mint(["feed:write", "feed:read", "budgets:write", "telemetry:write"], {
      name: "admin",
    });
    await link(app.ctx.data, "atlas");
  });
  afterAll(() => app.close());

  const at = (minutesAgo: number) =>
    new Date(app.clock.now() / 1000 - minutesAgo * 60_000).toISOString().replace("Z", "000Z");
  const step = (key: string, minutesAgo: number, fields: object = {}) => ({
    ...{ at: at(minutesAgo), key, model: "claude-sonnet-4-5", provider: "anthropic" },
    ...{ tokens_in: 1000, tokens_out: 50, cache_read: 3000, cache_write: 200, cache_write_1h: 50 },
    ...fields,
  });
  const codex = (id: string, minutesAgo: number) => ({ ...step(id, minutesAgo), model: "gpt-5" });
  const run = (id: string, fields: object = {}) => ({
    ...{ agent: "claude-code", id, project: "atlas", branch: "issue-12-fix" },
    ...{ started_at: at(90), ended_at: at(30), steps: [step(`${id}-1`, 60), step(`${id}-2`, 40)] },
    ...fields,
  });
  const backfill = async (...runs: object[]): Promise<BackfillResult> => {
    const response = await app.ask("/api/v1/runs/backfill", { token, json: { runs } });
    expect([response.status, response.ok ? "" : await response.clone().text()]).toEqual([200, ""]);
    return response.json();
  };
  const eventsOf = async (run_id: string) =>
    (await app.ctx.data.feed(null, { project: "atlas", limit: 200, order: "oldest first" }))
      .map(({ wire }) => JSON.parse(wire) as Event)
      .filter((event) => event.run_id === run_id);

  test("keeps the times of a session, and finds its task, its cost and its end", async () => {
    expect(await backfill(run("past"))).toEqual({ accepted: 4, duplicates: 0, rejected: 0, message: "" });
    const events = await eventsOf("past");
    expect(events.map(({ kind, ts }) => [kind, ts])).toEqual([
      ["run.started", at(90)],
      ["step.usage", at(60)],
      ["step.usage", at(40)],
      ["run.finished", at(30)],
    ]);
    // An hour of cache costs twice the input, five minutes 1.25 times: $3 and $15 a million.
    const cost = (1000 * 3 + 3000 * 0.3 + 150 * 3.75 + 50 * 6 + 50 * 15) / 1e6;
    expect(events[1]).toMatchObject({ issue: 12, cost_equiv: cost, cost_source: "computed" });
    expect(await app.ctx.data.run(null, "atlas", "past")).toMatchObject({
      ...{ status: "finished", issue: 12, steps: 2, branch: "issue-12-fix", duration_ms: 60 * 60_000 },
    });
  });

  test("adds nothing a second time, and what is new of a session that went on", async () => {
    await backfill(run("twice"));
    expect(await backfill(run("twice"))).toMatchObject({ accepted: 0, duplicates: 4 });
    const more = run("twice", { ended_at: at(10), steps: [step("twice-2", 40), step("twice-3", 12)] });
    expect(await backfill(more)).toMatchObject({ accepted: 2 });
    expect(await app.ctx.data.run(null, "atlas", "twice")).toMatchObject({
      steps: 3,
      duration_ms: 80 * 60_000,
    });
  });

  test("takes calls of an agent without shared ids as those that telemetry reported, each once", async () => {
    const reported = [60, 59].map((minutesAgo, index) => ({
      ...{ kind: "step.usage", actor: "agent:codex", summary: "call", project: "atlas", run_id: "codex" },
      ...{ tokens_in: 1000, tokens_out: 50, cache_read: 3000, cache_write: 200, ts: at(minutesAgo) },
      dedupe_key: `otlp:codex:${index}`,
    }));
    expect((await app.ask("/api/v1/events", { token, json: { events: reported } })).status).toBe(200);
    const past = run("codex", { agent: "codex", steps: [codex("r1", 60), codex("r2", 59), codex("r3", 58)] });
    expect(await backfill(past)).toMatchObject({ accepted: 3, duplicates: 2 });
    expect(await app.ctx.data.run(null, "atlas", "codex")).toMatchObject({ steps: 3 });
  });

  test("is not added again by telemetry that comes late, and what it lacks is", async () => {
    const log = (minutesAgo: number, input: number) => ({
      observedTimeUnixNano: `${BigInt(Date.parse(at(minutesAgo))) * 1_000_000n}`,
      attributes: Object.entries({
        ...{ "event.name": "codex.sse_event", "event.kind": "response.completed", model: "gpt-5" },
        ...{ "event.timestamp": at(minutesAgo), "conversation.id": "tardy" },
        ...{ input_token_count: `${input}`, output_token_count: "50" },
        ...{ cached_token_count: "3000", cache_write_token_count: "200" },
      }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    });
    const calls = [codex("r1", 60), codex("r2", 59)];
    await backfill(run("tardy", { agent: "codex", steps: calls }));
    // Two that the files had, one with their tokens that is much later, and one with others.
    const logRecords = [log(60, 4200), log(59, 4200), log(31, 4200), log(58, 4300)];
    const attributes = [{ key: "service.name", value: { stringValue: "codex" } }];
    const resourceLogs = [
      { resource: { attributes }, scopeLogs: [{ scope: { name: "codex_otel" }, logRecords }] },
    ];
    for (let time = 0; time < 2; time++) {
      const sent = await app.ask("/api/otlp/v1/logs", { token, json: { resourceLogs } });
      expect([sent.status, await sent.json()]).toEqual([200, {}]);
    }
    expect(await app.ctx.data.run(null, "atlas", "tardy")).toMatchObject({ steps: 4 });
  });

  test("adds no start and no end to a session that hooks report", async () => {
    const hook = (kind: string, phase: string, minutesAgo: number) => ({
      ...{ kind, actor: "agent:claude-code", summary: phase, project: "atlas", run_id: "hooked" },
      ...{ ts: at(minutesAgo), dedupe_key: `hook:claude-code:hooked:${phase}` },
    });
    const events = [hook("run.started", "start", 90), hook("run.finished", "end:1", 29)];
    await app.ask("/api/v1/events", { token, json: { events } });
    expect(await backfill(run("hooked"))).toMatchObject({ accepted: 2, duplicates: 2 });
    // The hook of a session that is already there, whose report was on its way.
    await backfill(run("late"));
    const late = {
      ...hook("run.started", "start", 90),
      run_id: "late",
      dedupe_key: "hook:claude-code:late:start",
    };
    const answer = await app.ask("/api/v1/events", { token, json: { events: [late] } });
    expect(await answer.json()).toEqual({ accepted: 0, duplicates: 1 });
  });

  test("tells no webhook, no budget and no inbox; the next event does", async () => {
    const receiver = startReceiver();
    await addWebhooks(app.ctx.data, [newWebhook("all", { url: receiver.urlOf("all") })]);
    const delivery = startDelivery(app.ctx);
    const budget = { project: "atlas", period: "month", amount: 0.5 };
    await app.ask("/api/v1/budgets", { token, method: "PUT", json: budget });
    await backfill(run("quiet", { failed: "rate_limit", steps: [step("quiet-1", 60, { cost: 40 })] }));
    const kinds = async (kind: Event["kind"]) => app.ctx.data.feed(null, { kind, limit: 10 });
    expect(await kinds("budget.reached")).toEqual([]);
    expect((await kinds("run.failed")).length).toBe(1);
    const inbox = await (await app.ask("/api/v1/inbox", { token })).json();
    expect(JSON.stringify(inbox)).not.toContain("rate_limit");
    const live = {
      kind: "step.usage",
      actor: "agent:codex",
      summary: "live",
      project: "atlas",
      cost_equiv: 0.01,
    };
    await app.ask("/api/v1/events", { token, json: { events: [live] } });
    await until(() => receiver.accepted("all").length >= 2, "the live event and the notice");
    const told = receiver.received.map(({ event }) => (event as Event).kind);
    expect(told.toSorted()).toEqual(["budget.reached", "step.usage"]);
    await delivery.stop();
    await receiver.close();
  });

  test("takes a leap second as the second that it repeats", async () => {
    const leap = { started_at: "2016-12-31T23:59:60Z", ended_at: "2016-12-31T23:59:60Z" };
    expect(await backfill(run("leap", leap))).toMatchObject({ accepted: 4, rejected: 0 });
  });

  test("refuses a time in the future or before 1970, and leaves out what has no project", async () => {
    const first = "0001-01-01T00:00:00Z";
    for (const [fields, fault] of [
      [{ ended_at: at(-10) }, `${at(-10)} is more than five minutes in the future.`],
      [{ started_at: first }, `${first} is before 1970.`],
      [{ steps: [step("first", 0, { at: first })] }, `${first} is before 1970.`],
    ] as const) {
      const json = { runs: [run("never", fields)] };
      const refused = await app.ask("/api/v1/runs/backfill", { token, json });
      expect([refused.status, (await refused.json()).detail]).toEqual([400, `runs[0]: ${fault}`]);
    }
    expect(await backfill(run("nowhere", { project: "nowhere" }))).toMatchObject({
      accepted: 0,
      rejected: 4,
    });
  });
});
