/** Rejections of what the caller made. */
import { isAllowed } from "../../../core/auth/authorization.ts";
import { readerOf } from "../../../core/auth/reader.ts";
import type { Micros } from "../../../core/lib/time.ts";
import { groupBySet } from "../../../library/variant-sets/group.ts";
import { assetPath, type Candidate, candidatesMax, type Source } from "../candidate.ts";
import { setItem } from "./variant-sets.ts";

/** Rejected assets that the caller made, until there is a newer version. */
export const rejections: Source = async ({ data, config }, caller) => {
  const author = readerOf(caller);
  if (author === null || !isAllowed(caller, "assets:read", config)) return [];
  const authors = [`human:${author}`, `token:${author}`];
  const rows = await data.rejectedAssets(authors, caller.projects, candidatesMax);
  const { single, sets } = groupBySet(rows);
  return [
    ...single.map(
      ({ id, title, project, review_note, reviewed_at }): Candidate => ({
        id: `rejected-${id}`,
        reason: "rejected",
        title,
        detail: review_note,
        path: assetPath(id, project),
        project,
        at: reviewed_at as Micros,
      }),
    ),
    ...sets.map((set): Candidate => {
      const [newest] = set.variants;
      const detail = `${set.variants.length} variants: ${newest.review_note}`;
      return { ...setItem("rejected", set), reason: "rejected", detail, at: newest.reviewed_at as Micros };
    }),
  ];
};
