/** Rejections of what the caller made. */
import { isAllowed } from "../../../core/auth/authorization.ts";
import { readerOf } from "../../../core/auth/reader.ts";
import type { Micros } from "../../../core/lib/time.ts";
import type { AssetRow } from "../../../library/rows.ts";
import { groupBySet } from "../../../library/variant-sets/group.ts";
import { assetPath, type Candidate, candidatesMax, type Source, setItem } from "../candidate.ts";

/** Rejected assets that the caller made, until there is a newer version. */
export const rejections: Source = async ({ data, config }, caller) => {
  const author = readerOf(caller);
  if (author === null || !isAllowed(caller, "assets:read", config)) return [];
  const authors = [`human:${author}`, `token:${author}`];
  const rows = await data.rejectedAssets(authors, caller.projects, candidatesMax);
  const { single, sets } = groupBySet(rows);
  return [
    ...single.map(
      (asset): Candidate => ({
        id: `rejected-${asset.id}`,
        reason: "rejected",
        title: asset.title,
        detail: asset.review_note,
        path: assetPath(asset.id, asset.project),
        project: asset.project,
        at: asset.reviewed_at as Micros,
        ...filesOf(asset),
      }),
    ),
    ...sets.map((set): Candidate => {
      const [newest] = set.variants;
      const detail = `${set.variants.length} variants: ${newest.review_note}`;
      return {
        ...setItem("rejected", set),
        ...filesOf(newest),
        reason: "rejected",
        detail,
        at: newest.reviewed_at as Micros,
      };
    }),
  ];
};

const filesOf = (asset: AssetRow): Pick<Candidate, "issue" | "task" | "pr" | "asset" | "thumb"> => ({
  issue: asset.issue,
  task: asset.task,
  pr: asset.pr,
  asset: asset.id,
  thumb: asset,
});
