/** The cost of a call in USD, by the names that senders give it. */
import type { Attributes } from "../records.ts";
import { fieldsOfText, isFields, providerMetadata, toSnakeCase, usageObject } from "./usage-counts.ts";
import { toAmount } from "./values.ts";

/** `operation.cost`, `cost_usd`, `gen_ai.usage.cost.total`, `gen_ai.client.cost`, … */
const totalName =
  /(?:^|\.)(?:(?:total|usage|request|response|estimated|llm)_)?cost(?:_total)?(?:_in)?(?:_usd)?(?:_details)?$|(?:^|[._])cost\.(?:total|usd)(?:_cost|_usd)?$/;
/** Parts of a cost without a total. Some senders also say how much of the input was a cache. */
const sides = {
  input: /(?:^|\.)(?:input|prompt)_cost(?:_usd)?$|(?:^|[._])cost\.(?:input|prompt)$/,
  output: /(?:^|\.)(?:output|completion)_cost(?:_usd)?$|(?:^|[._])cost\.(?:output|completion)$/,
};
/** Of Copilot, in credits. */
const credits = "github.copilot.";

/** Whether an attribute says what the call, or a part of it, cost. */
export const isCost = (name: string): boolean =>
  !name.startsWith(credits) && [totalName, ...Object.values(sides)].some((pattern) => pattern.test(name));

/** Pydantic AI and OpenLIT say 0 where they know no price. */
export function costOfAttributes(attributes: Attributes): number | undefined {
  let [input, output, charged] = [0, 0, 0];
  for (const key of attributes.keys()) {
    const name = toSnakeCase(key);
    if (isCost(name)) {
      const cost = costOf(attributes.get(key)) ?? 0;
      if (sides.input.test(name)) input ||= cost;
      else if (sides.output.test(name)) output ||= cost;
      else if (cost > 0) return cost;
    } else if (usageObject.test(name) || key === providerMetadata) {
      const fields = fieldsOfText(String(attributes.get(key)));
      for (const one of [fields, ...Object.values(fields ?? {})]) charged ||= costOfUsage(one) ?? 0;
    }
  }
  return input + output || charged || undefined;
}

const costOf = (value: unknown): number | undefined =>
  toAmount(value) ?? (typeof value === "string" ? costOfDetails(fieldsOfText(value)) : undefined);

/** OpenRouter names its cost in the usage; gateways name theirs beside that. */
const costOfUsage = (usage: unknown): number | undefined =>
  isFields(usage) ? toAmount(usage.cost) || (isFields(usage.usage) ? toAmount(usage.usage.cost) : 0) : 0;

/** USD: the total of `costDetails`, else the sum of its parts. */
export function costOfDetails(details: unknown): number | undefined {
  if (!isFields(details)) return undefined;
  const total = toAmount(details.total ?? details.total_cost);
  if (total !== undefined) return total;
  const parts = Object.values(details).flatMap((value) => toAmount(value) ?? []);
  return parts.length === 0 ? undefined : parts.reduce((sum, part) => sum + part, 0);
}
