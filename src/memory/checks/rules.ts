/** Which rules make sense. */
import { badRequest } from "../../core/problem.ts";
import { loadPatterns } from "./re2.ts";
import type { CheckRule } from "./schema.ts";

type Field = Exclude<keyof CheckRule, "kind">;

const limits = [
  ...["max_bytes", "max_width", "max_height", "min_width", "min_height", "max_duration_ms"],
  ...["min_contrast", "forbid_metadata", "require_metadata"],
] as const satisfies Field[] as readonly Field[];
const texts = ["text", "pattern"] as const;

/** By kind: the fields of which it needs one, and those that it may have. */
const fields: Record<CheckRule["kind"], { one: readonly Field[]; more: readonly Field[] }> = {
  forbid: { one: texts, more: ["paths"] },
  require: { one: texts, more: ["paths"] },
  command: { one: texts, more: [] },
  run: { one: ["run"], more: ["paths"] },
  asset: { one: limits, more: ["paths"] },
};

/** @throws {Problem} 400 for a rule that says nothing, or too much */
export async function requireRules(rules: readonly CheckRule[]): Promise<void> {
  for (const rule of rules) {
    const { one, more } = fields[rule.kind];
    const given = (Object.keys(rule) as (keyof CheckRule)[]).filter((name) => rule[name] !== undefined);
    const other = given.find((name) => name !== "kind" && ![...one, ...more].includes(name));
    if (other) throw badRequest(`A check of kind ${rule.kind} has no ${other}.`);
    const needed = given.filter((name) => name !== "kind" && one.includes(name));
    if (needed.length === 0) throw badRequest(`A check of kind ${rule.kind} needs ${one.join(" or ")}.`);
    if (rule.kind === "require" && !rule.paths?.length)
      throw badRequest("A check of kind require needs paths.");
    if (one === texts && needed.length > 1) throw badRequest("A check has either text or pattern.");
    if ([rule.text, rule.run].some((text) => text?.trim() === ""))
      throw badRequest("The text of a check is blank.");
    if (rule.pattern !== undefined) await requirePattern(rule.pattern);
  }
}

async function requirePattern(pattern: string): Promise<void> {
  const compile = await loadPatterns();
  let matchesNothing: boolean;
  try {
    matchesNothing = compile(pattern).isIn("");
  } catch (error) {
    throw badRequest(`The pattern of a check is not RE2 syntax: ${(error as Error).message}`);
  }
  if (matchesNothing) throw badRequest("The pattern of a check matches every text.");
}
