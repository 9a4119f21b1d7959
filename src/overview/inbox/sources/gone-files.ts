/** Decisions that speak of files that are gone from the default branch, for the people who review. */
import { isAllowed } from "../../../core/auth/authorization.ts";
import type { AnchorInput } from "../../../memory/anchor-schema.ts";
import { summaryOf } from "../../../memory/decisions.ts";
import { type Candidate, candidatesMax, type Source } from "../candidate.ts";

/** How the id of an item begins; the id of its decision follows. */
export const goneFilesPrefix = "files-gone-";

/** They leave when a person keeps, retires, or changes them, or when a newer commit has their files. */
export const goneFiles: Source = async ({ data, config }, caller) => {
  if (!isAllowed(caller, "assets:review", config) || !isAllowed(caller, "memory:read", config)) return [];
  const rows = await data.goneDecisions(caller.projects, candidatesMax);
  return rows.map(({ id, text, project, anchors, gone_at, valid_from }): Candidate => {
    const names = (JSON.parse(anchors) as AnchorInput[]).map(({ path, symbol }) =>
      symbol ? `${path}#${symbol}` : path,
    );
    return {
      id: `${goneFilesPrefix}${id}`,
      reason: "files_gone",
      title: summaryOf(text),
      detail: `Gone: ${names.join(", ")}`,
      path: `/memory/decisions/${id}`,
      project,
      at: gone_at ?? valid_from,
    };
  });
};
