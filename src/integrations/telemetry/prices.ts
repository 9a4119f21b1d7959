/**
 * What a call of a model costs by list price, for senders that name no cost. The prices are built in, from
 * `@pydantic/genai-prices`: svc fetches none. A cost is stored with its event, so new prices change no old
 * one.
 */
import { boundedByCount, Cache } from "../../core/lib/cache.ts";
import type { ModelPrice, PriceFile } from "../../core/telemetry/price-file.ts";
import type { PricedApart, Tokens } from "./sources/usage.ts";

/** The release of the built-in list; a test compares it with package.json. */
export const priceList = { version: "0.1.8", date: "2026-09-23" };

export interface PricedCall extends Tokens {
  model: string;
  /** As the sender names it. */
  provider?: string | undefined;
  /** When the call was made. */
  at: Date;
  apart?: PricedApart | undefined;
}

/** Returns a cost in USD; null for a model that no list has. */
export type CostOf = (call: PricedCall) => number | null;

let builtInList: Promise<CostOf> | undefined;

/** Loads the built-in list once, which takes 35 ms, with the first cost to compute. */
const loadBuiltIn = (): Promise<CostOf> =>
  (builtInList ??= import("@pydantic/genai-prices").then(({ calcPrice }) => rateOfList(calcPrice)));

/** @param file prices that come before those of the built-in list */
export const loadPrices = async (file: PriceFile | null): Promise<CostOf> => {
  const builtIn = await loadBuiltIn();
  return (call) => {
    const own = file && Object.hasOwn(file.models, call.model) ? file.models[call.model] : undefined;
    const cost = own ? costByRates(call, ratesOf(own)) : builtIn(call);
    return cost === null ? null : Number(cost.toFixed(9));
  };
};

/** USD for one token of each kind. */
interface Rates {
  input: number;
  output: number;
  read: number;
  write: number;
}

const costByRates = ({ tokens_in, tokens_out, cache_read, cache_write }: Tokens, rates: Rates): number =>
  tokens_in * rates.input + tokens_out * rates.output + cache_read * rates.read + cache_write * rates.write;

const ratesOf = ({ input, output, cache_read = input, cache_write = input }: ModelPrice): Rates => ({
  input: input / 1e6,
  output: output / 1e6,
  read: cache_read / 1e6,
  write: cache_write / 1e6,
});

type CalcPrice = typeof import("@pydantic/genai-prices").calcPrice;

/** The rates of a model below the input at which others apply. */
interface ListedRates extends Rates {
  inputMax: number;
}

/** A model of Bedrock, with or without its region: `us.anthropic.claude-sonnet-4-5-20250929-v1:0`. */
const bedrockModel = /^(?:[a-z]+\.)?(?:ai21|amazon|anthropic|cohere|deepseek|meta|mistral|openai|qwen)\./;

/** Some providers change prices within the day, on a half hour. */
const periodMs = 15 * 60_000;
const probeTokens = 1000;

/**
 * A look-up in the list takes 107 µs, so the rates of a model are kept for a quarter of an hour of calls. A
 * call with more input than they are for is looked up itself.
 */
function rateOfList(calcPrice: CalcPrice): CostOf {
  const known = new Cache<string, ListedRates | "unknown">({ max: 512, bytesOf: boundedByCount });

  function lookUp({ model, provider, at }: PricedCall, tokens: Tokens, apart: PricedApart = {}) {
    const usage = {
      // The package counts the cache as part of the input.
      input_tokens: tokens.tokens_in + tokens.cache_read + tokens.cache_write,
      output_tokens: tokens.tokens_out,
      cache_read_tokens: tokens.cache_read,
      cache_write_tokens: tokens.cache_write,
      ...apart,
    };
    const find = (name: string, options: { providerId?: string }) =>
      calcPrice(usage, name, { ...options, timestamp: at });
    // Routers put the provider before the model: `anthropic/claude-sonnet-4-5`.
    const name = model.slice(model.lastIndexOf("/") + 1);
    const providerId = bedrockModel.test(name) ? "aws" : provider;
    return (providerId && find(model, { providerId })) || find(model, {}) || find(name, {});
  }

  function ratesFromList(call: PricedCall): ListedRates | "unknown" {
    const none = { tokens_in: 0, tokens_out: 0, cache_read: 0, cache_write: 0 };
    const rate = (kind: keyof Tokens) =>
      (lookUp(call, { ...none, [kind]: probeTokens })?.total_price ?? 0) / probeTokens;
    const found = lookUp(call, none);
    if (!found) return "unknown";
    const starts = Object.values(found.model_price).flatMap((price) =>
      typeof price === "object" ? price.tiers.map(({ start }) => start) : [],
    );
    return {
      input: rate("tokens_in"),
      output: rate("tokens_out"),
      read: rate("cache_read"),
      write: rate("cache_write"),
      inputMax: Math.min(...starts),
    };
  }

  return (call) => {
    const period = Math.floor(call.at.getTime() / periodMs);
    const key = `${period} ${call.provider ?? ""} ${call.model}`;
    const rates = known.getOrMake(key, () => ratesFromList(call));
    if (rates === "unknown") return null;
    if (call.apart) return lookUp(call, call, call.apart)?.total_price ?? null;
    const input = call.tokens_in + call.cache_read + call.cache_write;
    return input < rates.inputMax ? costByRates(call, rates) : (lookUp(call, call)?.total_price ?? null);
  };
}
