/** Usage as Langfuse names it: `usageDetails`, and `usage` of before. */
import { excludingCache, type Tokens } from "../sources/step.ts";
import { toAmount, toCount } from "../sources/values.ts";

export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const cacheRead = ["cache_read_input_tokens", "input_cached_tokens", "input_cache_read", "input_cached"];
const cacheWrite = ["cache_creation_input_tokens", "input_cache_creation", "input_cache_write"];

/** Null where nothing says how many tokens there were. */
export function tokensOfUsage(usage: Fields): Tokens | null {
  if (typeof usage.unit === "string" && usage.unit !== "TOKENS") return null;
  const input = toCount(usage.input ?? usage.promptTokens);
  const output = toCount(usage.output ?? usage.completionTokens);
  if (input === undefined && output === undefined) return null;
  return { tokens_in: input ?? 0, tokens_out: output ?? 0, cache_read: 0, cache_write: 0 };
}

/**
 * By the convention of Langfuse, the parts add up to the total, so the input leaves the cache out. Senders
 * that hand on what a provider said include it: then input and output alone are the total.
 */
export function tokensOfDetails(details: Fields): Tokens | null {
  const counts = Object.entries(details).flatMap(([name, value]): [string, number][] => {
    const count = toCount(value);
    return count === undefined ? [] : [[name, count]];
  });
  if (counts.length === 0) return null;
  const sum = (belongs: (name: string) => boolean) =>
    counts.reduce((total, [name, count]) => (belongs(name) ? total + count : total), 0);
  const one = (name: string) => sum((other) => other === name);
  const cache_read = sum((name) => cacheRead.includes(name));
  const cache_write = sum((name) => cacheWrite.includes(name));
  const total = one("total");
  if (total > 0 && total === one("input") + one("output"))
    return {
      tokens_in: excludingCache(one("input"), cache_read, cache_write),
      tokens_out: one("output"),
      cache_read,
      cache_write,
    };
  const isCache = (name: string) => cacheRead.includes(name) || cacheWrite.includes(name);
  return {
    tokens_in: sum((name) => name.startsWith("input") && !isCache(name)),
    tokens_out: sum((name) => name.startsWith("output")),
    cache_read,
    cache_write,
  };
}

/** USD: the total of `costDetails`, else the sum of its parts. */
export function costOfDetails(details: unknown): number | undefined {
  if (!isFields(details)) return undefined;
  const total = toAmount(details.total);
  if (total !== undefined) return total;
  const parts = Object.values(details).flatMap((value) => toAmount(value) ?? []);
  return parts.length === 0 ? undefined : parts.reduce((sum, part) => sum + part, 0);
}
