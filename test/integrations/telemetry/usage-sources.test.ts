/**
 * The usage of every provider in every shape that senders give it: its tokens and its cost are those that the
 * vendor's own arithmetic gives for the answer of the model. The spans were sent by the libraries themselves
 * while they talked to a model API of the tests that answered so.
 */

import { describe, expect, test } from "bun:test";
import { calcPrice, extractUsage, findProvider } from "@pydantic/genai-prices";
import { openGenerations, readBatch } from "../../../src/integrations/telemetry/gateways/langfuse.ts";
import { mapRow } from "../../../src/integrations/telemetry/gateways/litellm.ts";
import { loadPrices } from "../../../src/integrations/telemetry/prices.ts";
import type { Mapped } from "../../../src/integrations/telemetry/sources/source.ts";
import type { Answer } from "../../support/telemetry/provider-answers.ts";
import { answers } from "../../support/telemetry/provider-answers.ts";
import { type AttributeMap, attributesOf, mappedOf, noonNanos } from "../../support/telemetry/telemetry.ts";

type AnswerName = keyof typeof answers;

/** What the vendor's own arithmetic makes of an answer. */
function vendorsOf({ provider: providerId, flavor, model, usage }: Answer) {
  const provider = findProvider({ providerId });
  if (!provider) throw new Error(providerId);
  const isGoogle = providerId === "google" && flavor === undefined;
  const response = isGoogle ? { modelVersion: model, usageMetadata: usage } : { model, usage };
  const found = extractUsage(provider, response, flavor).usage;
  const { input_tokens = 0, output_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0 } = found;
  const cost = calcPrice(found, model, { providerId, timestamp: noon })?.total_price;
  return {
    tokens: [
      input_tokens - cache_read_tokens - cache_write_tokens,
      cache_read_tokens,
      cache_write_tokens,
      output_tokens,
    ],
    cost: Number(cost),
  };
}

const noon = new Date(Number(noonNanos / 1_000_000n));
const costOf = await loadPrices(null);

function ours({ event, provider, apart }: Mapped) {
  const { model = "", tokens_in = 0, cache_read = 0, cache_write = 0, tokens_out = 0, cost_equiv } = event;
  const call = { tokens_in, cache_read, cache_write, tokens_out };
  return {
    tokens: [tokens_in, cache_read, cache_write, tokens_out],
    cost: cost_equiv ?? costOf({ ...call, model: String(model), provider, apart, at: noon }),
  };
}

const expectVendors = (mapped: Mapped | null | undefined, answer: Answer, reported?: number) => {
  const [found, expected] = [ours(mapped as Mapped), vendorsOf(answer)];
  expect(found.tokens).toEqual(expected.tokens);
  expect(found.cost).toBeCloseTo(reported ?? expected.cost, 9);
};

interface SpanFixture {
  source: string;
  response: AnswerName;
  name: string;
  kind: number;
  scope: string;
  /** USD, if the sender names it, at the prices that it knows. */
  cost?: number;
  attributes: AttributeMap;
}
const { default: spans } = (await import("./fixtures/usage-spans.json")) as unknown as {
  default: SpanFixture[];
};

const callOf = ({ name, kind, scope, attributes }: Omit<SpanFixture, "source" | "response">) =>
  mappedOf({
    resourceSpans: [
      {
        scopeSpans: [
          {
            scope: { name: scope },
            spans: [
              {
                name,
                kind,
                traceId: "1".repeat(32),
                spanId: "2".repeat(16),
                startTimeUnixNano: String(noonNanos),
                attributes: attributesOf(attributes),
              },
            ],
          },
        ],
      },
    ],
  })[0];

describe("spans", () => {
  test.each(spans.map((span) => [span.source, span.response, span] as const))(
    "of %s about an answer of %s",
    (_, response, span) => {
      expectVendors(callOf(span), answers[response], span.cost);
    },
  );
});

const generationOf = async (body: object, type = "generation-create"): Promise<Mapped | null | undefined> => {
  const batch = [{ id: "e", type, body: { id: "g", ...body } }];
  const { events } = await readBatch(Buffer.from(JSON.stringify({ batch })), "crew", openGenerations());
  return events[0]?.generation;
};

describe.each(Object.entries(answers))("the usage of %s", (_, answer: Answer) => {
  const { model, usage } = answer;
  test("as usageDetails of Langfuse", async () => {
    expectVendors(await generationOf({ model, usageDetails: usage }), answer);
    expectVendors(await generationOf({ model, usage }), answer);
  });

  test("as usage_details of a span of Langfuse", () => {
    const attributes = {
      "langfuse.observation.type": "generation",
      "langfuse.observation.model.name": model,
      "langfuse.observation.usage_details": JSON.stringify(usage),
    };
    expectVendors(callOf({ name: "g", kind: 1, scope: "langfuse-sdk", attributes }), answer);
  });
});

describe("Langfuse's own names", () => {
  const claude = {
    input: 1204,
    output: 310,
    cache_read_input_tokens: 9000,
    cache_creation_input_tokens: 300,
  };
  test.each<[string, AnswerName, object]>([
    ["parts without a total", "anthropic without lifetimes", { usageDetails: claude }],
    ["parts and their total", "anthropic without lifetimes", { usageDetails: { ...claude, total: 10_814 } }],
    [
      "a total of input and output, which include the parts",
      "chat",
      { usageDetails: { input: 10_204, output: 310, input_cached_tokens: 9000, total: 10_514 } },
    ],
    [
      "input and output without their parts",
      "chat",
      {
        usageDetails: {
          input: 1204,
          input_cached_tokens: 9000,
          output: 190,
          output_reasoning_tokens: 120,
          total: 10_514,
        },
      },
    ],
    [
      "an output that includes its part, and an input that does not",
      "chat",
      {
        usageDetails: {
          input: 1204,
          input_cache_read: 9000,
          output: 310,
          output_reasoning: 120,
          total: 10_514,
        },
      },
    ],
    [
      "lifetimes of the cache",
      "anthropic",
      {
        usageDetails: {
          ...claude,
          cache_creation_ephemeral_5m_input_tokens: 100,
          cache_creation_ephemeral_1h_input_tokens: 200,
        },
      },
    ],
    [
      "usage and details, which come first",
      "chat",
      {
        usage: { input: 1, output: 2, total: 3, unit: "TOKENS" },
        usageDetails: { input: 10_204, output: 310, input_cached: 9000, total: 10_514 },
      },
    ],
    [
      "names of before",
      "mistral",
      { usage: { promptTokens: 10_204, completionTokens: 310, totalTokens: 10_514 } },
    ],
    ["null for a total", "mistral", { usage: { input: 10_204, output: 310, total: null, unit: null } }],
  ])("as %s", async (_, name, body) => {
    const answer = answers[name];
    expectVendors(await generationOf({ model: answer.model, ...body }), answer);
  });

  test.each<[object, number, number]>([
    [{ total: 12 }, 12, 0],
    [{ total_tokens: 12, completion_tokens: 5 }, 7, 5],
    [{ output: 5, total: 5 }, 0, 5],
  ])("count %j", async (usageDetails, tokens_in, tokens_out) => {
    expect((await generationOf({ usageDetails }))?.event).toMatchObject({ tokens_in, tokens_out });
  });

  test.each<[string, object, string | null]>([
    ["generation-update", {}, "otlp:agent:crew:langfuse:g"],
    ["embedding-create", {}, "otlp:agent:crew:langfuse:g"],
    ["observation-create", { type: "GENERATION" }, "otlp:agent:crew:langfuse:g"],
    ["observation-create", { type: "SPAN" }, null],
    ["span-create", {}, null],
    ["generation-create", { id: null }, "otlp:agent:crew:langfuse:event:e"],
  ])("in a %s with %j", async (type, more, key) => {
    const generation = await generationOf({ usageDetails: { input: 1 }, ...more }, type);
    expect(generation?.event.dedupe_key ?? null).toBe(key);
  });

  test("may name costs beside their tokens", async () => {
    const usage = { input: 7, output: 1, inputCost: 0.1, outputCost: 0.2 };
    expect((await generationOf({ usage }))?.event).toMatchObject({ tokens_in: 7, tokens_out: 1 });
    expect((await generationOf({ usage }))?.event.cost_equiv).toBeCloseTo(0.3, 9);
    const routed = { prompt_tokens: 7, completion_tokens: 1, cost: 0.0042 };
    expect((await generationOf({ usageDetails: { prompt_tokens: 7 }, usage: routed }))?.event).toMatchObject({
      tokens_in: 7,
      cost_equiv: 0.0042,
    });
  });
});

describe("attributes", () => {
  const call = { "gen_ai.operation.name": "chat", "gen_ai.request.model": "claude-sonnet-4-5" };
  const base = { "gen_ai.usage.input_tokens": 5000, "gen_ai.usage.output_tokens": 100 };
  test.each<[string, AttributeMap, number[]]>([
    [
      "a cache beside the input, by its total",
      { cache_read: 2000, total_tokens: 7100 },
      [5000, 2000, 0, 100],
    ],
    ["a cache in the input, by its total", { cache_read: 2000, total_tokens: 5100 }, [3000, 2000, 0, 100]],
    ["a cache in the input, without a total", { cache_read: 2000 }, [3000, 2000, 0, 100]],
    ["more cache than input", { cache_read: 6000 }, [5000, 6000, 0, 100]],
    ["writes beside the input, by its total", { cache_write: 40, total_tokens: 5140 }, [5000, 0, 40, 100]],
    ["the cache in details", { "details.cache_read_tokens": 2000 }, [3000, 2000, 0, 100]],
    [
      "details as in the API of OpenAI",
      { "prompt_tokens_details.cached_tokens": 2000 },
      [3000, 2000, 0, 100],
    ],
    ["details as JSON", { input_token_details: '{"cache_read":2000}' }, [3000, 2000, 0, 100]],
    ["a total that is not theirs", { cache_read: 2000, total_tokens: 9999 }, [3000, 2000, 0, 100]],
    ["hits of DeepSeek", { prompt_cache_hit_tokens: 2000 }, [3000, 2000, 0, 100]],
    ["lifetimes of the cache", { "cache_creation.ephemeral_1h_input_tokens": 2000 }, [3000, 0, 2000, 100]],
    [
      "thoughts beside the output, by the total",
      { thoughts_tokens: 30, total_tokens: 5130 },
      [5000, 0, 0, 130],
    ],
    ["thoughts in the output, by the total", { thoughts_tokens: 30, total_tokens: 5100 }, [5000, 0, 0, 100]],
  ])("that say %s", (_, more, tokens) => {
    const usage = Object.fromEntries(
      Object.entries(more).map(([name, value]) => [`gen_ai.usage.${name}`, value]),
    );
    const attributes = { ...call, ...base, ...usage };
    expect(ours(callOf({ name: "chat", kind: 3, scope: "x", attributes }) as Mapped).tokens).toEqual(tokens);
  });
});

test("a row of LiteLLM with the usage of Anthropic", () => {
  const { model } = answers.anthropic;
  const usage_object = {
    prompt_tokens: 10_504,
    completion_tokens: 310,
    total_tokens: 10_814,
    prompt_tokens_details: {
      cached_tokens: 9000,
      cache_creation_tokens: 300,
      cache_creation_token_details: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
    },
    cache_creation_input_tokens: 300,
    cache_read_input_tokens: 9000,
  };
  const row = {
    id: "1",
    model,
    custom_llm_provider: "anthropic",
    prompt_tokens: 10_504,
    completion_tokens: 310,
  };
  expectVendors(mapRow({ ...row, metadata: { usage_object } }, "crew"), answers.anthropic);
});
