/** Costs by list price: of the built-in list, of a file, and at the price of the time of the call. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { calcPrice } from "@pydantic/genai-prices";
import manifest from "../../../package.json";
import { readConfig } from "../../../src/core/config.ts";
import { loadPrices, priceList } from "../../../src/integrations/telemetry/prices.ts";
import { temporaryFolder } from "../../support/harness.ts";

const at = new Date("2026-03-01T12:00:00Z");
const tokens = { tokens_in: 1204, tokens_out: 310, cache_read: 9000, cache_write: 300 };

/** The configuration with a file of prices that has this content. */
async function configWith(content: unknown) {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "prices.json");
  await Bun.write(path, typeof content === "string" ? content : JSON.stringify(content));
  return readConfig({ SVC_PRICES: path });
}

describe("the built-in list", () => {
  test("is the one of package.json", () => {
    expect(manifest.dependencies["@pydantic/genai-prices"]).toBe(priceList.version);
  });

  test.each([
    ["claude-sonnet-4-5", "anthropic"],
    ["claude-sonnet-4-5", undefined],
    ["gpt-5.1-codex", "openai"],
    ["gpt-4o", "openai.chat"],
    ["gemini-2.5-pro", "google"],
    ["gemini-2.5-pro", "gcp.vertex_ai"],
    ["mistral-large", "mistral_ai"],
    ["anthropic.claude-sonnet-4-5-20250929-v1:0", "aws.bedrock"],
    ["deepseek-chat", "deepseek"],
  ])(
    "prices a call of %s of %s as the package does, also with more input than its base price is for",
    async (model, provider) => {
      const costOf = await loadPrices(null);
      for (const factor of [1, 10, 100]) {
        const call = { ...tokens, tokens_in: tokens.tokens_in * factor * 5 };
        const expected = calcPrice(
          {
            input_tokens: call.tokens_in + call.cache_read + call.cache_write,
            output_tokens: call.tokens_out,
            cache_read_tokens: call.cache_read,
            cache_write_tokens: call.cache_write,
          },
          model,
          { timestamp: at, ...(provider && { providerId: provider }) },
        );
        expect(costOf({ ...call, model, provider, at })).toBeCloseTo(expected?.total_price as number, 8);
      }
    },
  );

  test("has no price for a model that it does not know", async () => {
    expect((await loadPrices(null))({ ...tokens, model: "acme-harbor-1", at })).toBeNull();
  });
});

describe("SVC_PRICES", () => {
  const models = { "gpt-4o": { input: 1, output: 10, cache_read: 0.1 }, "acme-1": { input: 2, output: 2 } };

  test("replaces prices of the list, and adds models", async () => {
    const { prices } = await configWith({ date: "2026-03-01", models });
    const costOf = await loadPrices(prices);
    const cost = (model: string) => costOf({ ...tokens, model, provider: "openai", at });
    // 1,204 in and 300 written at $1, 9,000 read at $0.10, 310 out at $10, for a million each.
    expect(cost("gpt-4o")).toBeCloseTo((1204 + 300 + 900 + 3100) / 1e6, 9);
    expect(cost("acme-1")).toBeCloseTo((2 * (1204 + 300 + 9000 + 310)) / 1e6, 9);
    expect(cost("claude-sonnet-4-5")).toBeCloseTo(0.012087, 9);
  });

  test.each([
    ["not JSON", "is not JSON"],
    [{ models }, "is not a price list: date: expected required property"],
    [{ date: "2026-03-01", models: { x: { input: -1, output: 1 } } }, "models.x.input"],
    [{ date: "2026-03-01", models: { x: { input: 1, ouput: 1 } } }, "models.x.output"],
    [{ date: "March", models }, "is not a price list: date: "],
  ])("%j stops the start with a line that says why", async (content, reason) => {
    const { name, message } = (await configWith(content).catch((error) => error)) as Error;
    expect(name).toBe("ConfigError");
    expect(message).toContain(reason);
    expect(message).toMatch(/^SVC_PRICES: \S+prices\.json [^\n]+$/);
  });

  test("that does not exist stops the start", () => {
    expect(() => readConfig({ SVC_PRICES: "/none/prices.json" })).toThrow("cannot be read (ENOENT)");
  });
});
