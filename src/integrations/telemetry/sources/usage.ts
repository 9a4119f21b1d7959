/**
 * What a call of a model used, by the names that providers and frameworks give it. They differ in whether the
 * input includes what a cache was read or written for, and the output what the model thought: a total says
 * which, else the names do.
 */
import type { EventInput } from "../../../feed/schema.ts";
import { type Counts, countNames, find } from "./usage-counts.ts";

/** Tokens by the one rule of the feed: `tokens_in` was neither read from a cache nor written to one. */
export type Tokens = Required<Pick<EventInput, "tokens_in" | "tokens_out" | "cache_read" | "cache_write">>;

/** Those of the tokens that have a price of their own. */
export interface PricedApart {
  cache_write_1h_tokens?: number;
  input_audio_tokens?: number;
  output_audio_tokens?: number;
}

export interface Usage extends Tokens {
  apart?: PricedApart;
}

/** Tokens written to a cache that lasts five minutes or an hour, however the name begins. */
const writeNames = {
  fiveMinutes: /(?:^|[._])(?:ephemeral|cache_creation|cache_write)_5m(?:_input)?(?:_tokens)?$/,
  hour: /(?:^|[._])(?:(?:ephemeral|cache_creation|cache_write)_1h(?:_input)?(?:_tokens)?|\w+_above_1hr)$/,
};

/** Input and output, what is counted with them or beside them, and which of it is beside by the names. */
interface Sides {
  input: number;
  inputMore: number;
  output: number;
  outputMore: number;
  beside: number;
}
const [cacheBeside, inputBeside, outputBeside] = [1, 2, 4];

/** How a sender counts, where its names do not tell. */
export interface Counting {
  /** `inside` the input unless a total differs; `beside` it, whatever the total is. */
  cache?: "inside" | "beside";
  /** Models that think beside their answer: what a total has more than input and output was thought. */
  thoughts?: "beside" | "by the total" | undefined;
}

/** Reads the usage of a call; null where nothing says what it was. */
export function readUsage(counts: Counts, { cache, thoughts }: Counting = {}): Usage | null {
  const one = (wanted: readonly string[]): number => counts.get(find(counts, wanted) ?? "") ?? 0;
  const matching = (pattern: RegExp): number => {
    for (const [name, count] of counts) if (pattern.test(name)) return count;
    return 0;
  };
  const writtenForHour = matching(writeNames.hour);
  const cache_read = one(countNames.cacheRead);
  const cache_write = Math.max(one(countNames.cacheWrite), matching(writeNames.fiveMinutes) + writtenForHour);
  const sides = sidesOfParts(counts) ?? sidesOfNames(counts, one, thoughts);
  if (!sides) return cache_read + cache_write > 0 ? { ...none, cache_read, cache_write } : null;
  if (cache === "inside") sides.beside &= ~cacheBeside;
  if (cache === "beside") sides.beside |= cacheBeside;
  const total = cache === "beside" ? 0 : one(countNames.total);
  const apart = {
    cache_write_1h_tokens: writtenForHour,
    input_audio_tokens: one(countNames.inputAudio),
    output_audio_tokens: one(countNames.outputAudio),
  };
  return {
    ...splitBy(sides, cache_read + cache_write, total),
    cache_read,
    cache_write,
    ...(Object.values(apart).some((count) => count > 0) && { apart }),
  };
}

const none = { tokens_in: 0, tokens_out: 0 };

/** Changes of what is beside, the smallest first. */
const changes = [0, cacheBeside, inputBeside, outputBeside, 3, 5, 6, 7];

/** Splits input and output by the first change that gives the total, if one does. */
function splitBy({ input, inputMore, output, outputMore, beside }: Sides, cache: number, total: number) {
  const split = (places: number) => ({
    tokens_in: input + (places & inputBeside ? inputMore : 0) - (places & cacheBeside ? 0 : cache),
    tokens_out: output + (places & outputBeside ? outputMore : 0),
  });
  const possible = changes.map((change) => split(beside ^ change)).filter(({ tokens_in }) => tokens_in >= 0);
  const fitting = possible.find(({ tokens_in, tokens_out }) => tokens_in + cache + tokens_out === total);
  return fitting ?? possible[0] ?? none;
}

/**
 * Langfuse's own names: `input`, `output` and parts that begin with these. By its convention they add up to
 * the total.
 */
function sidesOfParts(counts: Counts): Sides | null {
  const [input, output] = [counts.get("input"), counts.get("output")];
  if (input === undefined && output === undefined) return null;
  const partsOf = (side: "input" | "output"): number => {
    let sum = 0;
    for (const [name, count] of counts) if (name.startsWith(`${side}_`) && isPart(name)) sum += count;
    return sum;
  };
  return {
    input: input ?? 0,
    inputMore: partsOf("input"),
    output: output ?? 0,
    outputMore: partsOf("output"),
    beside: cacheBeside | inputBeside | outputBeside,
  };
}

const caches = new Set<string>([
  ...countNames.cacheRead,
  ...countNames.cacheWrite,
  ...countNames.input,
  ...countNames.output,
]);
const isPart = (name: string): boolean =>
  !caches.has(name) &&
  !/\.|_cost$/.test(name) &&
  !writeNames.fiveMinutes.test(name) &&
  !writeNames.hour.test(name);

/** Of Anthropic and Bedrock, whose `input_tokens` leave the cache out. */
const besideInput = /(?:^|\.)cache_\w+_input_token(?:s|_count)$/;

function sidesOfNames(
  counts: Counts,
  one: (wanted: readonly string[]) => number,
  thoughts: Counting["thoughts"],
): Sides | null {
  const [input, output] = [find(counts, countNames.input), find(counts, countNames.output)];
  if (input === undefined && output === undefined && one(countNames.total) === 0) return null;
  const sums = { input: one(countNames.input), output: one(countNames.output) };
  // Of a total alone, such as that of embeddings, what is no output is input.
  if (input === undefined) sums.input = Math.max(0, one(countNames.total) - sums.output);
  // Gemini counts results of tools beside the prompt, and thoughts beside the answer.
  if (/prompt_token_count$|candidates_token_count$/.test(`${input} ${output}`))
    return {
      ...sums,
      inputMore: one(countNames.toolUse),
      outputMore: one(countNames.thoughts),
      beside: inputBeside | outputBeside,
    };
  const cache = find(counts, countNames.cacheRead) ?? find(counts, countNames.cacheWrite) ?? "";
  const isBeside = besideInput.test(cache) && input?.endsWith("input_tokens");
  const rest = thoughts === undefined ? 0 : Math.max(0, one(countNames.total) - sums.input - sums.output);
  const outputMore = one([...countNames.reasoning, ...countNames.thoughts]) || rest;
  const beside = (isBeside ? cacheBeside : 0) | (thoughts === "beside" ? outputBeside : 0);
  return { ...sums, inputMore: 0, outputMore, beside };
}

/** Splits input that includes what a cache was read or written for; some senders leave it out after all. */
export const excludingCache = (input: number, cache: number): number =>
  cache > input ? input : input - cache;
