/** Limits of decisions that a file breaks. They are shown, and decide nothing: a person may approve it. */
import { ruleText } from "../../memory/checks/rule-text.ts";
import type { CheckRule } from "../../memory/checks/schema.ts";
import type { LibraryReads } from "../port.ts";
import type { AssetRow } from "../rows.ts";
import type { BrokenLimit } from "./schema.ts";

type Measured = Pick<AssetRow, "project" | "size" | "width" | "height" | "duration_ms" | "filename" | "key">;

const decisionsMax = 500;

/** What the file of an asset breaks of the project's checks, the newest decision first. */
export async function brokenLimits(data: LibraryReads, asset: Measured): Promise<BrokenLimit[]> {
  const decisions = await data.checkedDecisions(asset.project, decisionsMax);
  return decisions.flatMap(({ id, text, actor, checks }) =>
    (checks ?? [])
      .filter((check) => check.kind === "asset" && check.standing === "confirmed" && isBroken(check, asset))
      .map(({ standing: _, actor: __, ...rule }) => ({ decision: id, text, actor, limit: ruleText(rule) })),
  );
}

function isBroken(rule: CheckRule, { size, width, height, duration_ms, filename, key }: Measured): boolean {
  const name = filename ?? key?.split("/").at(-1) ?? "";
  const isAbout = !rule.paths?.length || rule.paths.some((path) => new Bun.Glob(path).match(name));
  const above = (value: number | null, max: number | undefined) =>
    value !== null && max !== undefined && value > max;
  const below = (value: number | null, min: number | undefined) =>
    value !== null && min !== undefined && value < min;
  return (
    isAbout &&
    (above(size, rule.max_bytes) ||
      above(width, rule.max_width) ||
      above(height, rule.max_height) ||
      below(width, rule.min_width) ||
      below(height, rule.min_height) ||
      above(duration_ms, rule.max_duration_ms))
  );
}
