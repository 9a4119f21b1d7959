/**
 * Events of coding agents. The fixtures were sent by the programs themselves (Claude Code 2.1.197, Codex
 * 0.169.0, Gemini CLI 0.61.0, Copilot CLI 1.0.102) while they talked to a model API of the tests, with ids
 * replaced and long texts shortened. Each call read 9,000 tokens from the cache and had 1,204 more tokens of
 * input.
 */
import { describe, expect, test } from "bun:test";
import { eventsOf, fixtureOf, logsOf, mappedOf } from "../../support/telemetry/telemetry.ts";

const session = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

describe("Claude Code", () => {
  test("gives a step for each request, with the cost that it names, and none for its metrics", async () => {
    const [first, second, failed, ...rest] = eventsOf(await fixtureOf("claude-code"));
    expect(first).toEqual({
      ...{ kind: "step.usage", actor: "agent:claude-code", run_id: session(1), model: "claude-sonnet-4-5" },
      ...{ ts: "2026-11-23T21:28:37.356000Z", duration_ms: 18, dedupe_key: "otlp:agent:claude-code:req_3" },
      ...{ tokens_in: 1204, tokens_out: 310, cache_read: 9000, cache_write: 300 },
      ...{ cost_equiv: 0.012086999999999997, cost_source: "reported" },
      summary: "claude-sonnet-4-5: 1,204 in, 9,000 cached, 310 out, $0.012",
    });
    expect(second).toMatchObject({ run_id: session(1), dedupe_key: "otlp:agent:claude-code:req_6" });
    expect(failed).toEqual({
      ...{ kind: "step.usage", actor: "agent:claude-code", run_id: session(3), model: "claude-sonnet-4-5" },
      ...{ ts: "2026-11-23T21:29:36.918000Z", duration_ms: 142, dedupe_key: "otlp:agent:claude-code:req_16" },
      summary: "claude-sonnet-4-5: request failed (400)",
    });
    expect(rest).toHaveLength(1);
  });

  test("is placed by the attributes of its resource", async () => {
    const places = mappedOf(await fixtureOf("claude-code")).map(({ place }) => place);
    expect(new Set(places.map((place) => JSON.stringify(place)))).toEqual(
      new Set(['{"project":"atlas","branch":"fix/42-login"}']),
    );
  });

  const request = { "event.name": "api_request", "session.id": "s", model: "m", "event.sequence": 4 };
  const scope = { scope: "com.anthropic.claude_code.events" };

  test("may send counts as text, and name no cost", () => {
    const [event] = eventsOf(logsOf([{ ...request, input_tokens: "120", output_tokens: "7" }], scope));
    expect(event).toMatchObject({ tokens_in: 120, tokens_out: 7 });
    expect(event).not.toHaveProperty("cost_equiv");
    expect(event).not.toHaveProperty("cost_source");
  });

  test("names the subagent that made a call, as its hooks do (as 2.1.332 sends it)", () => {
    const subagent = { query_source: "agent:builtin:general-purpose", "agent.name": "general-purpose" };
    const [event] = eventsOf(logsOf([{ ...request, ...subagent, agent_id: "ae10ca4f763cf1e0c" }], scope));
    expect(event).toMatchObject({ run_id: "s/ae10ca4f763cf1e0c", parent_run_id: "s" });
    const [other] = eventsOf(logsOf([{ ...request, ...subagent, agent_id: "free text" }], scope));
    expect(other).toMatchObject({ run_id: "s" });
    expect(other).not.toHaveProperty("parent_run_id");
  });

  test("without an id of the request is told apart by session, sequence and time", () => {
    const [event] = eventsOf(logsOf([request], scope));
    expect(event?.dedupe_key).toBe("otlp:agent:claude-code:s:4:1772366400000000000");
  });
});

describe("Codex", () => {
  test("gives a step for each answer, without the cache in its input, and no start before its hook", async () => {
    expect(eventsOf(await fixtureOf("codex"))).toEqual([
      {
        ...{ kind: "step.usage", actor: "agent:codex", run_id: session(5), model: "gpt-5.1-codex" },
        ...{ ts: "2026-11-23T21:28:38.283495Z" },
        dedupe_key: `otlp:agent:codex:${session(5)}:1795469318283495488:10204:310`,
        ...{ tokens_in: 1204, tokens_out: 310, cache_read: 9000, cache_write: 0 },
        summary: "gpt-5.1-codex: 1,204 in, 9,000 cached, 310 out",
      },
    ]);
  });

  test.each([
    ["that was refused", { "http.response.status_code": "500", "error.message": "http 500" }, " (500)"],
    ["without an answer", { "error.message": "connection refused" }, ""],
  ])("gives a step for a request %s (as 0.171.0 sends it)", (_, attributes, code) => {
    const request = { "event.name": "codex.api_request", "conversation.id": "c", model: "m", attempt: "0" };
    const all = { ...request, duration_ms: "41", ...attributes };
    const [event] = eventsOf(logsOf([all], { "service.name": "codex_exec" }));
    const summary = `m: request failed${code}`;
    expect(event).toMatchObject({ kind: "step.usage", run_id: "c", duration_ms: 41, summary });
    expect(eventsOf(logsOf([{ ...request, "http.response.status_code": "200" }]))).toEqual([]);
  });

  test("counts what its interface asks for on its own, such as a title, for no run (as 0.171.0 sends it)", () => {
    const service = { "service.name": "codex-app-server" };
    const starts = { "event.name": "codex.conversation_starts", originator: "codex-tui" };
    const answer = {
      "event.name": "codex.sse_event",
      "event.kind": "response.completed",
      originator: "codex-tui",
      input_token_count: "104",
      output_token_count: "7",
    };
    const [session, title] = ["01a223df-df2c", "01a223df-f8e7"].map((id) => ({ "conversation.id": id }));
    eventsOf(
      logsOf(
        [
          { ...starts, ...session, mcp_servers: "svc, codex_tui" },
          { ...starts, ...title, mcp_servers: "" },
        ],
        service,
      ),
    );
    const [first, second] = eventsOf(
      logsOf(
        [session, title].map((id) => ({ ...answer, ...id })),
        service,
      ),
    );
    expect(first).toMatchObject({ run_id: "01a223df-df2c", tokens_in: 104 });
    expect(second).toMatchObject({ kind: "step.usage", tokens_in: 104 });
    expect(second).not.toHaveProperty("run_id");
  });

  test("gives a step for an answer that failed (from its documentation)", () => {
    const failed = {
      ...{ "event.name": "codex.sse_event", "event.kind": "response.failed", model: "gpt-5.1-codex" },
      ...{ "conversation.id": "c", "error.message": "You exceeded your quota" },
    };
    const [event] = eventsOf(logsOf([failed], { "service.name": "codex_cli_rs" }));
    expect(event).toMatchObject({ kind: "step.usage", summary: "gpt-5.1-codex: request failed" });
  });
});

describe("Gemini CLI", () => {
  test("gives one step for a call that it reports by two events and a span", async () => {
    expect(eventsOf(await fixtureOf("gemini-cli"))).toEqual([
      {
        ...{ kind: "step.usage", actor: "agent:gemini-cli", run_id: session(13), model: "gemini-2.5-pro" },
        ...{ ts: "2026-11-23T21:28:41.480000Z", duration_ms: 189 },
        dedupe_key: `otlp:agent:gemini-cli:${session(13)}:1795469321480000000:10204:190`,
        // 7 tokens of tools are input; 120 tokens of thoughts are output beside 190 of the answer.
        ...{ tokens_in: 1211, tokens_out: 310, cache_read: 9000, cache_write: 0 },
        summary: "gemini-2.5-pro: 1,211 in, 9,000 cached, 310 out",
      },
    ]);
  });

  test("gives a step for a call that failed (from its documentation)", () => {
    const failed = {
      ...{ "event.name": "gemini_cli.api_error", "session.id": "g", model_name: "gemini-2.5-pro" },
      ...{ status_code: 429, "error.message": "quota", duration_ms: 12 },
    };
    const [event] = eventsOf(logsOf([failed], { "service.name": "gemini-cli" }));
    expect(event).toMatchObject({ run_id: "g", summary: "gemini-2.5-pro: request failed (429)" });
  });
});

test("Copilot CLI gives a step for each call, and none for the agent that repeats their sum", async () => {
  expect(eventsOf(await fixtureOf("copilot"))).toEqual([
    {
      ...{ kind: "step.usage", actor: "agent:copilot", run_id: session(16), model: "gpt-5.1-codex" },
      ...{ ts: "2026-11-23T21:28:45.746000Z", duration_ms: 35 },
      dedupe_key: "otlp:agent:copilot:00000000000000000000000000000012:0000000000000013",
      ...{ tokens_in: 1204, tokens_out: 310, cache_read: 9000, cache_write: 0 },
      summary: "gpt-5.1-codex: 1,204 in, 9,000 cached, 310 out",
    },
  ]);
});
