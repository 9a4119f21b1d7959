/** Costs and counts in the attributes of a span, by names that no vendor's answer has. */
import { expect, test } from "bun:test";
import { type AttributeMap, eventsOf, spansOf } from "../../support/telemetry/telemetry.ts";

const stepOf = (attributes: AttributeMap) => eventsOf(spansOf([{ kind: 3, attributes }]))[0];

test.each<[AttributeMap, number | undefined]>([
  [{ "gen_ai.usage.total_cost": 0.5 }, 0.5],
  [{ "gen_ai.usage.cost_usd": "0.5" }, 0.5],
  [{ "llm.cost.prompt": 0.25, "llm.cost.completion": 0.125 }, 0.375],
  [{ "gen_ai.usage.input_cost": 0.25, "gen_ai.usage.output_cost": 0.125, "gen_ai.usage.cost": 0.5 }, 0.5],
  [{ "gen_ai.usage.output_cost": 0.125 }, 0.125],
  [{ "ai.usage.cost": 0.5 }, 0.5],
  [{ "gen_ai.client.cost": 0.5 }, 0.5],
  [{ "langfuse.observation.cost": 0.5 }, 0.5],
  [{ cost_usd: 0.5 }, 0.5],
  [{ "llm.totalCostUsd": 0.5 }, 0.5],
  [{ "gen_ai.usage.estimated_cost": 0.5 }, 0.5],
  [{ "gen_ai.usage.cost.total_usd": 0.5 }, 0.5],
  [{ "mlflow.llm.cost": '{"input_cost":0.25,"output_cost":0.25,"total_cost":0.5}' }, 0.5],
  [{ "gen_ai.usage.raw": '{"prompt_tokens":5,"completion_tokens":0,"cost":0.5}' }, 0.5],
  [{ "ai.response.providerMetadata": '{"openrouter":{"usage":{"cost":0.5}}}' }, 0.5],
  [{ "ai.response.providerMetadata": '{"gateway":{"cost":"0.5"}}' }, 0.5],
  // Of a part, a discount, or in another unit.
  [{ "gen_ai.cost.cache_read_cost": 0.5, "gen_ai.cost.margin_total_amount": 1, "cost.center": 7 }, undefined],
  [{ "github.copilot.cost": 1, "gen_ai.usage.cost": 0 }, undefined],
])("a span that names its cost as %j", (cost, expected) => {
  const attributes = { "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 5, ...cost };
  expect(stepOf(attributes)?.cost_equiv).toBe(expected);
});

test.each<[string, AttributeMap, number[]]>([
  ["short names", { model: "gpt-4o", input_tokens: 100, output_tokens: 7 }, [100, 0, 0, 7]],
  [
    "short names in camel case",
    { model: "gpt-4o", promptTokens: 100, completionTokens: 7, cacheReadTokens: 90 },
    [10, 90, 0, 7],
  ],
  ["counts that are text", { "llm.request.model": "o3", "llm.prompt_tokens": "100" }, [100, 0, 0, 0]],
  [
    "the whole answer of OpenAI as its output",
    {
      ...{ "openinference.span.kind": "LLM", "llm.model_name": "gpt-4o" },
      ...{ "llm.token_count.prompt": 100, "llm.token_count.completion": 7 },
      "output.value": JSON.stringify({
        choices: [{ message: { content: "usage" } }],
        usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 90 } },
      }),
    },
    [10, 90, 0, 7],
  ],
  [
    "an answer that is another's",
    {
      ...{ "openinference.span.kind": "LLM", "llm.token_count.prompt": 100, "llm.token_count.completion": 7 },
      "output.value": '{"usage":{"prompt_tokens":200,"completion_tokens":7,"cached_tokens":90}}',
    },
    [100, 0, 0, 7],
  ],
])("a span with %s", (_, attributes, tokens) => {
  const { tokens_in, cache_read, cache_write, tokens_out } = stepOf(attributes) ?? {};
  expect([tokens_in, cache_read, cache_write, tokens_out]).toEqual(tokens);
});
