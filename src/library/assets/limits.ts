/** Limits of decisions that a file breaks. They are shown, and decide nothing: a person may approve it. */

import { Cache, perObject } from "../../core/lib/cache.ts";
import type { FileMeasures } from "../../files/probe/measures/schema.ts";
import { ruleText } from "../../memory/checks/rule-text.ts";
import type { CheckRule } from "../../memory/checks/schema.ts";
import type { LibraryContext } from "../context.ts";
import type { AssetRow } from "../rows.ts";
import { storedFile } from "./files/stored-file.ts";
import type { BrokenLimit } from "./schema.ts";

const decisionsMax = 500;

/** What the file of an asset breaks of the project's checks, the newest decision first. */
export async function brokenLimits(ctx: LibraryContext, asset: AssetRow): Promise<BrokenLimit[]> {
  const decisions = await ctx.data.checkedDecisions(asset.project, decisionsMax);
  const checked = decisions.flatMap(({ checks, ...decision }) =>
    (checks ?? [])
      .filter((check) => check.kind === "asset" && check.standing === "confirmed" && isAbout(check, asset))
      .map(({ standing: _, actor: __, ...rule }) => ({ ...decision, rule })),
  );
  // The file is read only for a check of what is in it.
  const measures = checked.some(({ rule }) => needsMeasures(rule)) ? await fileMeasures(ctx, asset) : null;
  return checked.flatMap(({ id, text, actor, rule }) => {
    const found = breaks(rule, asset, measures);
    return found === null ? [] : [{ decision: id, text, actor, limit: ruleText(rule), found }];
  });
}

const needsMeasures = ({ min_contrast, forbid_metadata, require_metadata }: CheckRule): boolean =>
  [min_contrast, forbid_metadata, require_metadata].some((rule) => rule !== undefined);

function isAbout({ paths }: CheckRule, { filename, key }: Pick<AssetRow, "filename" | "key">): boolean {
  const name = filename ?? key?.split("/").at(-1) ?? "";
  return !paths?.length || paths.some((path) => new Bun.Glob(path).match(name));
}

/** What the file has instead; null if it keeps the rule, or that is not known. */
function breaks(
  rule: CheckRule,
  { size, width, height, duration_ms }: AssetRow,
  measures: FileMeasures | null,
): string | null {
  const above = (value: number | null, max: number | undefined, unit: string) =>
    value !== null && max !== undefined && value > max ? [`${value} ${unit}`] : [];
  const below = (value: number | null, min: number | undefined, unit: string) =>
    value !== null && min !== undefined && value < min ? [`${value} ${unit}`] : [];
  const { contrast = null, has = [], lacks = [] } = measures ?? {};
  const isLow = contrast && rule.min_contrast !== undefined && contrast.ratio < rule.min_contrast;
  const forbidden = (rule.forbid_metadata ?? []).filter((name) => has.includes(name));
  const missing = (rule.require_metadata ?? []).filter((name) => lacks.includes(name));
  const found = [
    ...above(size, rule.max_bytes, "bytes"),
    ...above(width, rule.max_width, "px wide"),
    ...above(height, rule.max_height, "px high"),
    ...below(width, rule.min_width, "px wide"),
    ...below(height, rule.min_height, "px high"),
    ...above(duration_ms, rule.max_duration_ms, "ms long"),
    ...(isLow ? [`${contrast.ratio}:1 in "${contrast.text}"`] : []),
    ...(forbidden.length > 0 ? [`has ${forbidden.join(", ")}`] : []),
    ...(missing.length > 0 ? [`lacks ${missing.join(", ")}`] : []),
  ];
  return found.length > 0 ? found.join(", ") : null;
}

type Measured = { measures: FileMeasures | null };

/** Bytes of one, at most. */
const measuredBytes = 1_000;

const cacheOf = perObject(
  (_data: LibraryContext["data"]) =>
    new Cache<string, Measured>({ max: 2_000, bytesOf: () => measuredBytes }),
);

/**
 * What checks measure in a file. Only projects with such a check ask, so it is read when they do, and cached
 * by the contents of the file. Null once it is deleted, and of a type of which nothing is known.
 */
async function fileMeasures(
  ctx: LibraryContext,
  { key, size, mime, sha256, uploader }: Pick<AssetRow, "key" | "size" | "mime" | "sha256" | "uploader">,
): Promise<FileMeasures | null> {
  const { store } = ctx;
  if (!store || key === null) return null;
  const cache = cacheOf(ctx.data);
  const cached = cache.get(sha256);
  if (cached) return cached.measures;
  const source = storedFile(store, { key, size, owner: uploader ?? undefined });
  const measures = await ctx.probe.measures(source, mime).catch(() => null);
  cache.set(sha256, { measures }, cache.generation);
  return measures;
}
