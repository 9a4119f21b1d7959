/** What the lines of a brief came from: the decisions and assets that they name. */

import type { Caller } from "../../core/auth/caller.ts";
import type { DecisionHistoryRow } from "../../memory/rows.ts";
import type { OverviewContext } from "../context.ts";
import type { BriefLine, ParsedBrief } from "./parse.ts";

export interface BriefAsset {
  id: string;
  title: string;
  version: number;
}

export interface BriefSources {
  /** The decision of a line: it names the decision, or the asset whose rejection it is. */
  decisionOf(line: BriefLine): DecisionHistoryRow | null;
  assetOf(line: BriefLine): BriefAsset | null;
}

/** @param decisions the ids of those that the briefs carry */
export async function loadBriefSources(
  { data }: Pick<OverviewContext, "data">,
  briefs: readonly ParsedBrief[],
  decisions: readonly number[],
  { projects }: Pick<Caller, "projects">,
): Promise<BriefSources> {
  const lines = briefs.flatMap(({ parts }) => parts.flatMap((part) => part.lines));
  const [rows, found] = await Promise.all([
    data.decisionsById(projects, [...new Set(decisions)]),
    data.assetsById([...new Set(lines.flatMap(({ asset }) => asset ?? []))]),
  ]);
  const assets = new Map(found.map(({ id, wire }) => [id, JSON.parse(wire) as BriefAsset]));
  return {
    decisionOf: ({ decision, asset }) =>
      rows.find(({ id, source_ref }) => id === decision || (asset !== null && source_ref === asset)) ?? null,
    assetOf: ({ asset }) => (asset === null ? null : (assets.get(asset) ?? null)),
  };
}
