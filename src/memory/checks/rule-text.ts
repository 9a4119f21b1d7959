/** How rules read in one line. `svc hook` imports this: it imports nothing. */
import type { CheckRule } from "./schema.ts";

type Field = Exclude<keyof CheckRule, "kind">;

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
  min_contrast: (ratio) => `with text of at least ${ratio}:1 contrast`,
  forbid_metadata: (names) => `without ${names.join(", ")} metadata`,
  require_metadata: (names) => `with ${names.join(", ")} metadata`,
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
  const parts = Object.entries(limitTexts).flatMap(([name, textOf]) => {
    const value = rule[name as Field];
    // safe because: it is the value of its own field
    return value === undefined ? [] : (textOf as (value: unknown) => string)(value);
  });
  return `files ${parts.join(", ")}${where}`;
}
