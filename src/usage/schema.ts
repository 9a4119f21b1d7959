/** Schemas of usage: what work took, in tokens and money. */
import { type Static, Type } from "@sinclair/typebox";
import { Cost, Count } from "../wire.ts";

/** What is summed: by day, and over any other group of events. */
export const usageFields = {
  runs: Count("Runs that ended.", 14),
  failures: Count("Runs that failed.", 2),
  merges: Count("Pull requests merged.", 5),
  tokens_in: Count("Input tokens.", 182_340),
  tokens_out: Count("Output tokens.", 29_600),
  cache_read: Count("Tokens read from the provider's cache.", 960_000),
  cache_write: Count("Tokens written to the provider's cache.", 41_000),
  cost_equiv: Cost("Cost in USD at the gateway's list price.", 4.2),
};

export const UsageSums = Type.Object(usageFields, { $id: "UsageSums", description: "Usage, summed." });
export type UsageSums = Static<typeof UsageSums>;
export const usageFieldNames = Object.keys(usageFields) as (keyof UsageSums)[];

/** What usage can be grouped by. */
export const usageGroups = ["project", "model", "lane", "actor", "task", "run"] as const;
export type UsageGroup = (typeof usageGroups)[number];
