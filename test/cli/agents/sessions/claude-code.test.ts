/**
 * Sessions that Claude Code 2.1.197 wrote while it talked to a model API of the tests: one that was resumed, its
 * fork, one with a subagent, and one whose request failed. Long texts are shortened.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Event } from "../../../../src/feed/schema.ts";
import { agentHooks } from "../../../../src/integrations/agent-hooks/hooked-agents.ts";
import { runIdOf, sessionReport } from "../../../../src/integrations/agent-hooks/session-report.ts";
import { type AgentHome, agentHome } from "../../../support/agents/agent-home.ts";
import { addSessions, recorded } from "../../../support/agents/session-home.ts";
import {
  linkIn,
  migratedDatabase,
  programToken,
  type Server,
  startServer,
  type TestDatabase,
} from "../../../support/harness.ts";

const [resumed, fork, parent, failed] = [
  "6937e6b1-f8de-4744-87b7-5bb2d9393c83",
  "3b5cf7c7-e9a1-4a89-ae7f-c25c0278b73c",
  "9bcc4c37-c12f-47a6-a5dd-bf005a30d135",
  "2be71919-4a56-4221-a758-edb46d1ed780",
];
const subagent = `${parent}/ae1b13dafdb22b145`;

/** By ccusage 20.0.24 (`claude session --json --offline`) on these files. */
const byCcusage = { input: 7028, output: 378, cacheRead: 21000, cacheCreation: 1400, cost: 0.0390915 };

describe("recorded sessions of Claude Code", () => {
  let database: TestDatabase;
  let server: Server;
  let home: AgentHome;
  beforeAll(async () => {
    database = await migratedDatabase("sqlite");
    await linkIn(database);
    server = await startServer(database);
    home = await agentHome({});
    addSessions(home, "claude-code");
  });
  afterAll(async () => {
    await home?.[Symbol.asyncDispose]();
    await server?.close();
    await database?.close();
  });

  const api = (path: string, json?: object) =>
    fetch(`${server.origin}${path}`, {
      ...(json && { method: "POST", body: JSON.stringify(json) }),
      headers: { authorization: `Bearer ${programToken}`, "content-type": "application/json" },
    });
  const events = async (): Promise<Event[]> => (await (await api("/api/v1/feed?limit=200")).json()).events;
  const of = (all: Event[], run: string | undefined, kind: Event["kind"]) =>
    all.filter((event) => event.run_id === run && event.kind === kind).length;
  const backfill = async () => {
    const env = { SVC_URL: server.origin, SVC_TOKEN: programToken };
    const { code, output, errors } = await home.svc(["backfill", "--yes", "--json"], env);
    expect([code, errors.includes("svc:")]).toEqual([0, false]);
    return JSON.parse(output);
  };
  const forgetProgress = () => Bun.spawnSync(["rm", "-rf", `${home.path}/.state`]);

  test("agree with ccusage, and count what a fork copied once", async () => {
    expect(await backfill()).toMatchObject({
      sessions: 4,
      accepted: 17,
      duplicates: 0,
      rejected: 0,
      skipped: {},
    });
    const all = await events();
    const sum = (field: "tokens_in" | "tokens_out" | "cache_read" | "cache_write" | "cost_equiv") =>
      all.reduce((total, event) => total + event[field], 0);
    expect(sum("tokens_in")).toBe(byCcusage.input);
    expect(sum("tokens_out")).toBe(byCcusage.output);
    expect(sum("cache_read")).toBe(byCcusage.cacheRead);
    expect(sum("cache_write")).toBe(byCcusage.cacheCreation);
    expect(sum("cost_equiv")).toBeCloseTo(byCcusage.cost, 9);
    expect([resumed, fork, parent, subagent].map((run) => of(all, run, "step.usage"))).toEqual([3, 1, 2, 1]);
    expect([of(all, failed, "run.failed"), of(all, fork, "run.started")]).toEqual([1, 1]);
    const run = await (await api(`/api/v1/runs/${encodeURIComponent(subagent)}?project=atlas`)).json();
    expect(run).toMatchObject({ parent, issue: 12, models: ["claude-sonnet-4-5"] });
  });

  test("add nothing a second time, with and without what is remembered of the first", async () => {
    expect(await backfill()).toMatchObject({ accepted: 0, duplicates: 0 });
    forgetProgress();
    expect(await backfill()).toMatchObject({ accepted: 0 });
    expect((await events()).length).toBe(18);
  });

  test("send no word of a prompt or an answer", async () => {
    expect(JSON.stringify(await events())).not.toContain("secretword");
    const rows = await Bun.file(database.url.slice("sqlite:".length)).bytes();
    expect(Buffer.from(rows).includes("secretword")).toBe(false);
  });
});

describe("a session that hooks and telemetry report too", () => {
  let home: AgentHome;
  beforeAll(async () => {
    home = await agentHome({});
    addSessions(home, "claude-code");
  });
  afterAll(async () => home?.[Symbol.asyncDispose]());

  /** The payloads that Claude Code gave its hooks, as `svc hook` reports them. */
  const hookEvents = () => {
    const failures = new Set<string>();
    return recorded("claude-code/hooks.ndjson")
      .trim()
      .split("\n")
      .flatMap((line, index) => {
        const input = JSON.parse(line);
        const run = runIdOf(input.session_id);
        const event = agentHooks["claude-code"].events[input.hook_event_name]?.(input);
        if (event?.phase === "failed") failures.add(run);
        if (!event || (event.phase === "end" && failures.has(run))) return [];
        const time = new Date(Date.parse("2026-11-29T17:03:53Z") + index * 500);
        return [sessionReport("claude-code", run, event, { project: "atlas", repo: "acme/atlas" }, time)];
      });
  };
  const telemetry = () =>
    recorded("claude-code/telemetry.json").replace(
      '"attributes": [',
      '"attributes": [{"key":"svc.project","value":{"stringValue":"atlas"}},',
    );

  const orders = {
    "before the backfill": ["live", "files"],
    "after the backfill": ["files", "live"],
  } as const;
  test.each(Object.entries(orders))("is added once: %s", async (_, order) => {
    await using database = await migratedDatabase("sqlite");
    await linkIn(database);
    await using server = await startServer(database);
    const post = async (path: string, body: string) => {
      const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
      const response = await fetch(`${server.origin}${path}`, { method: "POST", headers, body });
      expect([path, response.status, await response.text()]).toEqual([path, 200, expect.any(String)]);
    };
    const steps = {
      async live() {
        await post("/api/v1/events", JSON.stringify({ events: hookEvents() }));
        await post("/api/otlp/v1/logs", telemetry());
      },
      async files() {
        const env = { SVC_URL: server.origin, SVC_TOKEN: programToken };
        const { code } = await home.svc(["backfill", "--yes", "--json"], env);
        expect(code).toBe(0);
      },
    };
    for (const name of order) await steps[name]();
    const response = await fetch(`${server.origin}/api/v1/feed?limit=200`, {
      headers: { authorization: `Bearer ${programToken}` },
    });
    const { events } = (await response.json()) as { events: Event[] };
    const sum = (field: "tokens_in" | "tokens_out" | "cost_equiv") =>
      events.reduce((total, event) => total + event[field], 0);
    expect([sum("tokens_in"), sum("tokens_out")]).toEqual([byCcusage.input, byCcusage.output]);
    expect(sum("cost_equiv")).toBeCloseTo(byCcusage.cost, 9);
    const starts = events.filter(({ kind, run_id }) => kind === "run.started" && run_id === failed);
    expect(starts.length).toBe(1);
  });
});
