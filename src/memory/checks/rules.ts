/** Which rules make sense, and how they read in one line. */
import { badRequest } from "../../core/problem.ts";
import { loadPatterns } from "./re2.ts";
import type { CheckRule } from "./schema.ts";

type Field = Exclude<keyof CheckRule, "kind">;

const limits = [
  ...["max_bytes", "max_width", "max_height", "min_width", "min_height", "max_duration_ms", "min_contrast"],
  "no_metadata",
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

const kilobyte = 1024;

/** A size with the largest unit that divides it. */
export const bytesText = (bytes: number): string =>
  bytes % kilobyte ** 2 === 0
    ? `${bytes / kilobyte ** 2} MB`
    : bytes % kilobyte === 0
      ? `${bytes / kilobyte} KB`
      : `${bytes} bytes`;

const limitTexts: { [K in Field]?: (value: NonNullable<CheckRule[K]>) => string } = {
  max_bytes: (bytes) => `at most ${bytesText(bytes)}`,
  max_width: (pixels) => `at most ${pixels} px wide`,
  max_height: (pixels) => `at most ${pixels} px high`,
  min_width: (pixels) => `at least ${pixels} px wide`,
  min_height: (pixels) => `at least ${pixels} px high`,
  max_duration_ms: (ms) => `at most ${ms / 1000} s long`,
  min_contrast: (ratio) => `contrast of text at least ${ratio}:1`,
  no_metadata: () => "no metadata",
};

/** `no "#FF0000" in *.css`, for people. */
export function ruleText(rule: CheckRule): string {
  const { kind, text, pattern, paths, run } = rule;
  const what = text === undefined ? `/${pattern}/` : `"${text}"`;
  const where = paths?.length ? ` in ${paths.join(", ")}` : "";
  if (kind === "forbid") return `no ${what}${where}`;
  if (kind === "require") return `${what} has to be${where}`;
  if (kind === "command") return `do not run ${what}`;
  if (kind === "run") return `"${run}" has to pass${where && ` after changes${where}`}`;
  const parts = limits.flatMap((name) => {
    const value = rule[name];
    return value === undefined || value === false
      ? []
      : (limitTexts[name] as (value: unknown) => string)(value);
  });
  return `files ${parts.join(", ")}${where}`;
}
