/**
 * Events of frameworks. The fixtures were sent by the libraries themselves (AI SDK 4.3.19, 5.0.277, 6.0.326
 * and 7.0.173, Pydantic AI 2.68.0, OpenInference for OpenAI 0.1.66, OpenLLMetry for OpenAI 0.62.4); the other
 * spans are from their documentation.
 */
import { describe, expect, test } from "bun:test";
import {
  type AttributeMap,
  eventsOf,
  fixtureOf,
  noonNanos,
  spansOf,
} from "../../support/telemetry/telemetry.ts";

type Counts = [tokens_in: number, cache_read: number, cache_write: number, tokens_out: number];

/** The tokens of each step, and the kinds of the other events. */
const gist = (events: ReturnType<typeof eventsOf>) =>
  events.map(({ kind, tokens_in, cache_read, cache_write, tokens_out }) =>
    kind === "step.usage" ? [tokens_in, cache_read, cache_write, tokens_out] : kind,
  );

const uncached: Counts = [1204, 9000, 0, 310];

describe("spans that libraries sent", () => {
  const end = "run.finished";
  test.each([
    ["ai-sdk-4", [uncached, end, [1204, 9000, 300, 310], end, uncached, end]],
    // Version 5 does not name what OpenAI read from a cache, unless it streams.
    ["ai-sdk-5", [[10_204, 0, 0, 310], end, [1204, 0, 0, 310], end, uncached, end]],
    ["ai-sdk-6", [uncached, end, [1204, 9000, 300, 310], end, uncached, end]],
    ["ai-sdk-7", [uncached, end, [1204, 9000, 300, 310], end, uncached, end]],
    ["pydantic-ai", [uncached, end]],
    ["openinference", [uncached]],
    ["traceloop", [uncached]],
  ])("of %s are counted once", async (name, expected) => {
    expect(gist(eventsOf(await fixtureOf(name)))).toEqual(expected as ReturnType<typeof gist>);
  });

  test("of Pydantic AI have its cost, its agent, and the conversation as their run", async () => {
    const [step, finished] = eventsOf(await fixtureOf("pydantic-ai"));
    expect(step).toMatchObject({
      ...{ actor: "agent:research_agent", run_id: "00000000-0000-4000-8000-000000000061" },
      ...{ cost_equiv: 0.01736, cost_source: "reported" },
    });
    expect(finished).toEqual({
      ...{ kind: "run.finished", actor: "agent:research_agent", summary: "research_agent finished" },
      ...{ run_id: "00000000-0000-4000-8000-000000000061", duration_ms: 276 },
      ts: "2026-11-23T21:38:18.998692Z",
      dedupe_key: "otlp:agent:research_agent:0000000000000000000000000000003e:0000000000000040",
    });
  });

  test("of the AI SDK share the trace as their run", async () => {
    const runs = eventsOf(await fixtureOf("ai-sdk-6")).map(({ run_id, actor }) => [actor, run_id?.slice(-2)]);
    expect(runs).toEqual(["27", "27", "2a", "2a", "2d", "2d"].map((run) => ["agent:checkout-agent", run]));
  });
});

const call = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4o" };
const stepOf = (attributes: AttributeMap, failed = false) =>
  eventsOf(spansOf([{ id: 2, parent: 1, kind: 3, failed, attributes }]))[0];

describe("names of attributes from documents", () => {
  const expected = { tokens_in: 60, tokens_out: 20, cache_read: 30, cache_write: 10 };
  test.each<[string, AttributeMap]>([
    [
      "the conventions of September 2026",
      {
        ...{ ...call, "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20 },
        ...{
          "gen_ai.usage.cache_read.input_tokens": 30,
          "gen_ai.usage.cache_write.input_tokens": 10,
        },
      },
    ],
    [
      "Mastra",
      {
        ...{ ...call, "mastra.span.type": "model_generation", "gen_ai.usage.input_tokens": 100 },
        ...{ "gen_ai.usage.output_tokens": 20, "gen_ai.usage.cache_read.input_tokens": 30 },
        "gen_ai.usage.cache_creation.input_tokens": 10,
      },
    ],
    [
      "Sentry",
      {
        ...{ ...call, "sentry.op": "gen_ai.chat", "gen_ai.usage.input_tokens": 100 },
        ...{ "gen_ai.usage.output_tokens": 20, "gen_ai.usage.input_tokens.cached": 30 },
        "gen_ai.usage.input_tokens.cache_write": 10,
      },
    ],
    [
      "earlier OpenLLMetry",
      {
        ...{ "llm.request.type": "chat", "gen_ai.system": "OpenAI", "gen_ai.request.model": "gpt-4o" },
        ...{ "gen_ai.usage.prompt_tokens": 100, "gen_ai.usage.completion_tokens": 20 },
        "gen_ai.usage.cache_read_input_tokens": 30,
        "gen_ai.usage.cache_creation_input_tokens": 10,
      },
    ],
    [
      "OpenInference",
      {
        ...{ "openinference.span.kind": "LLM", "llm.model_name": "gpt-4o", "llm.provider": "openai" },
        ...{ "llm.token_count.prompt": 100, "llm.token_count.completion": 20 },
        "llm.token_count.prompt_details.cache_read": 30,
        "llm.token_count.prompt_details.cache_write": 10,
      },
    ],
    [
      "a client without an operation",
      {
        ...{ "gen_ai.system": "openai", "gen_ai.request.model": "gpt-4o" },
        ...{ "gen_ai.usage.prompt_tokens": 100, "gen_ai.usage.completion_tokens": 20 },
        "gen_ai.usage.cache_read_input_tokens": 30,
        "gen_ai.usage.cache_creation_input_tokens": 10,
      },
    ],
  ])("of %s mean the same", (_, attributes) => {
    expect(stepOf(attributes)).toMatchObject({ ...expected, model: "gpt-4o", run_id: `${"0".repeat(31)}7` });
  });

  test("of version 5 of the AI SDK leave the cache out of the input of Anthropic", () => {
    const attributes = {
      ...{ "ai.operationId": "ai.streamText.doStream", "gen_ai.system": "anthropic.messages" },
      ...{ "ai.usage.inputTokens": 1204, "ai.usage.cachedInputTokens": 900, "ai.usage.outputTokens": 310 },
    };
    expect(stepOf(attributes)).toMatchObject({ tokens_in: 1204, cache_read: 900 });
  });

  test("that leave the cache out in spite of their convention are not made negative", () => {
    const attributes = { ...call, "gen_ai.usage.input_tokens": 5, "gen_ai.usage.cache_read_input_tokens": 9 };
    expect(stepOf(attributes)).toMatchObject({ tokens_in: 5, cache_read: 9 });
  });
});

const used = { "gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": 5 };

test.each<[string, AttributeMap]>([
  ["an operation that svc does not know", { ...used, "gen_ai.operation.name": "responses" }],
  ["an operation of Semantic Kernel", { ...used, "gen_ai.operation.name": "chat.completions" }],
  ["no operation and no provider", used],
  ["a kind of OpenInference in lower case", { ...used, "openinference.span.kind": "llm" }],
  ["usage as one text", { ...call, "gen_ai.usage": '{"input_tokens":5,"output_tokens":0}' }],
  ["usage in the response", { ...call, "gen_ai.response.prompt_tokens": 5 }],
  [
    "the names of Langfuse in another scope",
    {
      ...{ "langfuse.observation.type": "generation", "langfuse.observation.model.name": "gpt-4o" },
      "langfuse.observation.usage_details": '{"input":5,"total":5}',
    },
  ],
  [
    "a type of Langfuse in capital letters",
    {
      ...{ "langfuse.observation.type": "GENERATION", "langfuse.observation.model.name": "gpt-4o" },
      "langfuse.observation.usage_details": '{"input":5,"total":5}',
    },
  ],
  [
    "a model of Langfuse and no type",
    {
      "langfuse.observation.model.name": "gpt-4o",
      "langfuse.observation.usage_details": '{"input":5,"output":0}',
    },
  ],
  [
    "a type of MLflow",
    {
      ...{ "mlflow.spanType": '"LLM"', "mlflow.llm.model": '"gpt-4o"' },
      "mlflow.chat.tokenUsage": '{"input_tokens":5,"output_tokens":0,"total_tokens":5}',
    },
  ],
  ["a type of Langfuse with usage of GenAI", { ...used, "langfuse.observation.type": "generation" }],
])("a span with %s is a call", (_, attributes) => {
  expect(stepOf(attributes)).toMatchObject({ model: "gpt-4o", tokens_in: 5, tokens_out: 0 });
});

describe("spans that are not a call", () => {
  test.each<[string, AttributeMap]>([
    ["a tool", { "gen_ai.operation.name": "execute_tool", "gen_ai.usage.input_tokens": 5 }],
    ["a step of the AI SDK", { "gen_ai.operation.name": "agent_step", "gen_ai.usage.input_tokens": 5 }],
    ["a chunk of Mastra", { "gen_ai.operation.name": "model_chunk", "gen_ai.usage.input_tokens": 5 }],
    ["a chain", { "openinference.span.kind": "CHAIN", "llm.token_count.prompt": 5 }],
    ["a task of Traceloop", { "traceloop.span.kind": "task", "gen_ai.usage.input_tokens": 5 }],
    ["a tool call of the AI SDK", { "ai.operationId": "ai.toolCall" }],
    ["a request of a web server", { "http.request.method": "POST" }],
    ["a call that says nothing of its usage", call],
    ["an operation that svc does not know, without usage", { ...call, "gen_ai.operation.name": "responses" }],
    ["a step of Mastra", { ...used, "gen_ai.operation.name": "model_step" }],
    ["a chain of MLflow", { ...used, "mlflow.spanType": '"CHAIN"' }],
    ["a tool in the trace of Langfuse", { ...used, "langfuse.observation.type": "tool" }],
  ])("as %s are no event", (_, attributes) => {
    expect(stepOf(attributes)).toBeUndefined();
  });

  test.each<[string, AttributeMap]>([
    ["invoke_agent", { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "night watch" }],
    ["AGENT of OpenInference", { "openinference.span.kind": "AGENT", "agent.name": "night watch" }],
    ["workflow of Traceloop", { "traceloop.span.kind": "workflow", "traceloop.entity.name": "night watch" }],
  ])("as %s end a run, with its duration and without its tokens", (_, attributes) => {
    const totals = {
      "gen_ai.usage.input_tokens": 500,
      "gen_ai.usage.output_tokens": 20,
      "operation.cost": 3,
    };
    const [finished] = eventsOf(spansOf([{ attributes: { ...attributes, ...totals } }]));
    expect(finished).toEqual({
      ...{ kind: "run.finished", actor: "agent:night-watch", run_id: `${"0".repeat(31)}7`, duration_ms: 250 },
      ...{ ts: "2026-03-01T12:00:00.250000Z", summary: "night-watch finished" },
      dedupe_key: `otlp:agent:night-watch:${"0".repeat(31)}7:${"0".repeat(15)}1`,
    });
    const [failed] = eventsOf(spansOf([{ failed: true, attributes }]));
    expect(failed).toMatchObject({ kind: "run.failed", summary: "night-watch failed" });
  });
});

describe("a call", () => {
  const usage = { ...call, "gen_ai.usage.input_tokens": 5 };

  test("that failed is a step that names the class of the error, and never its text", () => {
    expect(stepOf({ ...call, "error.type": "RateLimitError" }, true)?.summary).toBe(
      "gpt-4o: request failed (RateLimitError)",
    );
    expect(stepOf({ ...call, "error.type": "no such file: my diary" }, true)?.summary).toBe(
      "gpt-4o: request failed",
    );
  });

  test("alone in its trace belongs to no run", () => {
    const [event] = eventsOf(spansOf([{ kind: 3, attributes: usage }]));
    expect(event).not.toHaveProperty("run_id");
    expect(event?.ts).toBe(new Date(Number(noonNanos / 1_000_000n)).toISOString().replace("Z", "000Z"));
  });

  test("of a service that an SDK named is of its convention", () => {
    const [event] = eventsOf(spansOf([{ attributes: usage }], { "service.name": "unknown_service:node" }));
    expect(event?.actor).toBe("agent:genai");
  });
});
