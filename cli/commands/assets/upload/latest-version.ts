/** Finds the asset that an upload probably replaces: the newest version with the same title and task. */
import type { ApiAccess } from "../../../api.ts";
import { type Schemas, unwrap } from "../../../client/client.ts";

export interface TaskOfUpload {
  project: string;
  issue?: number;
  pr?: number;
  title: string;
}

const pageLength = 200;
/** Pages to search. Assets come pending first, then newest first, so an older asset is rarely meant. */
const pagesMax = 5;

/**
 * The newest version of the asset with this title, project, issue and pull request; null if there is none.
 */
export async function findLatestVersion(
  { api }: Pick<ApiAccess, "api">,
  { project, issue, pr, title }: TaskOfUpload,
): Promise<Schemas["Asset"] | null> {
  const task = { project, ...(issue !== undefined && { issue }), ...(pr !== undefined && { pr }) };
  let cursor: string | undefined;
  let latest: Schemas["Asset"] | null = null;
  for (let page = 0; page < pagesMax; page++) {
    const query = { ...task, limit: pageLength, ...(cursor !== undefined && { cursor }) };
    const { assets, next_cursor } = await unwrap(api.GET("/assets", { params: { query } }));
    for (const asset of assets) {
      const isMatch =
        asset.title === title &&
        asset.status !== "superseded" &&
        asset.issue === (issue ?? null) &&
        asset.pr === (pr ?? null);
      if (isMatch && (!latest || asset.created_at > latest.created_at)) latest = asset;
    }
    if (!next_cursor) break;
    cursor = next_cursor;
  }
  return latest;
}
