/**
 * Sessions that Codex 0.171.0, Gemini CLI 0.61.0, Copilot CLI 1.0.102, and OpenCode 1.18.33 wrote while they talked
 * to a model API of the tests, and what earlier versions wrote. Long texts are shortened.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Event } from "../../../../src/feed/schema.ts";
import { type AgentHome, agentHome } from "../../../support/agents/agent-home.ts";
import {
  addSessions,
  type RecordedAgent,
  recorded,
  writeSession,
} from "../../../support/agents/session-home.ts";
import { linkIn, migratedDatabase, programToken, startServer } from "../../../support/harness.ts";

/** By ccusage 20.0.24 on these files; reasoning counts as output, which it names apart. */
const byCcusage: Record<Exclude<RecordedAgent, "claude-code">, object> = {
  codex: { runs: 3, failed: 1, input: 4845, output: 245, cacheRead: 12_000, cost: 0.01000625 },
  "gemini-cli": { runs: 1, failed: 0, input: 3648, output: 198 + 30, cacheRead: 9000, cost: 0.007965 },
  copilot: { runs: 1, failed: 0, input: 2445, output: 145, cacheRead: 6000, cost: 0.00525625 },
  opencode: { runs: 1, failed: 0, input: 3660, output: 180 + 30, cacheRead: 9000, cost: 0.0078 },
};

let home: AgentHome;
let data: string;
beforeAll(async () => {
  home = await agentHome({});
  data = join(home.path, "data");
});
beforeEach(() => {
  for (const folder of [".codex", ".gemini", ".copilot", ".local", ".state", "data"])
    rmSync(join(home.path, folder), { recursive: true, force: true });
  mkdirSync(data);
});
afterAll(async () => home?.[Symbol.asyncDispose]());

const svc = (...args: string[]) => home.svc([...args, "--data-dir", data]);
const backfill = async () => {
  await svc("project", "link", "atlas", "--repo", "acme/atlas", "--quiet");
  const { code, output, errors } = await svc("backfill", "--yes", "--json");
  expect([code, errors.match(/svc: .*/)?.[0]]).toEqual([0, undefined]);
  return JSON.parse(output);
};
const events = async () => {
  const { output } = await svc("feed", "--json", "--limit", "200");
  return output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Event);
};
type Sum = "tokens_in" | "tokens_out" | "cache_read" | "cost_equiv";
const sumOf = (all: readonly Event[], field: Sum) =>
  Number(all.reduce((total, event) => total + event[field], 0).toFixed(9));

describe("recorded sessions", () => {
  test.each(Object.entries(byCcusage))(
    "of %s agree with ccusage, and hold no prompt",
    async (agent, expected) => {
      addSessions(home, agent as RecordedAgent);
      expect(await backfill()).toMatchObject({ skipped: {}, rejected: 0 });
      const all = await events();
      expect({
        runs: all.filter(({ kind }) => kind === "run.started").length,
        failed: all.filter(({ kind }) => kind === "run.failed").length,
        input: sumOf(all, "tokens_in"),
        output: sumOf(all, "tokens_out"),
        cacheRead: sumOf(all, "cache_read"),
        cost: sumOf(all, "cost_equiv"),
      }).toEqual(expected as never);
      expect(JSON.stringify(all)).not.toContain("secretword");
      rmSync(join(home.path, ".state"), { recursive: true, force: true });
      expect(await backfill()).toMatchObject({ accepted: 0 });
    },
  );

  test("of Codex that its telemetry has reported are not added again", async () => {
    addSessions(home, "codex");
    await using database = await migratedDatabase("sqlite");
    await linkIn(database);
    await using server = await startServer(database);
    const headers = { authorization: `Bearer ${programToken}`, "content-type": "application/json" };
    const telemetry = JSON.parse(recorded("codex/telemetry.json"));
    telemetry.resourceLogs[0].resource.attributes.push({
      key: "svc.project",
      value: { stringValue: "atlas" },
    });
    const body = JSON.stringify(telemetry);
    expect((await fetch(`${server.origin}/api/otlp/v1/logs`, { method: "POST", headers, body })).status).toBe(
      200,
    );
    const env = { SVC_URL: server.origin, SVC_TOKEN: programToken };
    const { output } = await home.svc(["backfill", "--yes", "--json"], env);
    expect(JSON.parse(output)).toMatchObject({ accepted: 6, duplicates: 4 });
  });
});

describe("files of earlier versions", () => {
  const at = (second: number) => `2026-10-01T10:00:${String(second).padStart(2, "0")}.000Z`;
  const meta = (id: string, more: object = {}) => ({
    ...{ timestamp: at(0), type: "session_meta" },
    payload: { id, timestamp: at(0), cwd: home.repository, ...more },
  });
  const model = { timestamp: at(1), type: "turn_context", payload: { model: "gpt-5" } };
  const count = (second: number, total: number, last: number) => ({
    ...{ timestamp: at(second), type: "event_msg" },
    payload: {
      type: "token_count",
      info: {
        total_token_usage: { input_tokens: total, cached_input_tokens: 0, output_tokens: total },
        last_token_usage: { input_tokens: last, cached_input_tokens: 0, output_tokens: last },
      },
    },
  });
  const rollout = (name: string, ...lines: object[]) =>
    writeSession(join(home.path, `.codex/sessions/2026/10/01/rollout-${name}.jsonl`), lines);

  test("of Codex: a total that is sent again counts once, and so does the history of a parent", async () => {
    const limit = { timestamp: at(2), type: "event_msg", payload: { type: "token_count", info: null } };
    rollout("a", meta("a"), model, count(2, 10, 10), count(3, 10, 10), limit, count(4, 30, 20));
    const source = { subagent: { thread_spawn: { parent_thread_id: "a", depth: 1 } } };
    const child = meta("b", { source, timestamp: at(9) });
    rollout("b", child, meta("a"), model, count(9, 10, 10), count(9, 30, 20), count(20, 35, 5));
    await backfill();
    const steps = (await events()).filter(({ kind }) => kind === "step.usage");
    expect(steps.map(({ run_id, tokens_in }) => [run_id, tokens_in])).toEqual([
      ["a", 10],
      ["a", 20],
      ["b", 5],
    ]);
    const { output } = await svc("run", "show", "b", "--project", "atlas", "--json");
    expect(JSON.parse(output)).toMatchObject({ parent: "a" });
  });

  test("of Copilot CLI: the sums of each leg of a session are added", async () => {
    const leg = (id: string, second: number, inputTokens: number) => ({
      ...{ type: "session.shutdown", id, timestamp: at(second) },
      data: { modelMetrics: { "gpt-5": { usage: { inputTokens, outputTokens: 1, cacheReadTokens: 4 } } } },
    });
    const context = { cwd: home.repository, branch: "issue-7-x" };
    const start = {
      type: "session.start",
      data: { sessionId: "s", startTime: at(0), context },
      timestamp: at(0),
    };
    writeSession(join(home.path, ".copilot/session-state/s/events.jsonl"), [
      start,
      leg("1", 5, 10),
      leg("2", 9, 20),
    ]);
    await backfill();
    const steps = (await events()).filter(({ kind }) => kind === "step.usage");
    expect(steps.map(({ tokens_in, issue }) => [tokens_in, issue])).toEqual([
      [6, 7],
      [16, 7],
    ]);
  });

  test("of Gemini CLI: a document, and one that is broken", async () => {
    const tokens = { input: 10, output: 2, cached: 4, thoughts: 1, tool: 0, total: 13 };
    const message = { id: "m", type: "gemini", timestamp: at(5), model: "gemini-2.5-pro", tokens };
    const chats = join(home.path, ".gemini/tmp/atlas/chats");
    writeSession(join(home.path, ".gemini/tmp/atlas/.project_root"), [home.repository]);
    writeSession(join(chats, "session-1.json"), [{ sessionId: "s", startTime: at(0), messages: [message] }]);
    writeSession(join(chats, "session-2.json"), ["{"]);
    expect(await backfill()).toMatchObject({ accepted: 3, skipped: { "broken file": 1 } });
    expect(sumOf(await events(), "tokens_out")).toBe(3);
  });

  test("of OpenCode: a database of another form is skipped", async () => {
    addSessions(home, "codex");
    writeSession(join(home.path, ".local/share/opencode/opencode.db"), ["no database"]);
    expect(await backfill()).toMatchObject({ skipped: { "database of OpenCode that cannot be read": 1 } });
  });
});
