/** Finds the asset that an upload probably replaces: the newest version with the same title and task. */
import { taskNumberOf } from "../../../../src/core/task-key.ts";
import type { ApiAccess } from "../../../api.ts";
import { type Schemas, unwrap } from "../../../client/client.ts";

export interface TaskOfUpload {
  project: string;
  issue?: number;
  task?: string;
  pr?: number;
  title: string;
}

const pageLength = 200;
/** Pages to search. Assets come pending first, then newest first, so an older asset is rarely meant. */
const pagesMax = 5;

/**
 * The newest version of the asset with this title, project and task; null if there is none.
 */
export async function findLatestVersion(
  { api }: Pick<ApiAccess, "api">,
  { title, ...of }: TaskOfUpload,
): Promise<Schemas["Asset"] | null> {
  const { project, issue, task, pr } = of;
  const named = {
    project,
    ...(issue !== undefined && { issue }),
    ...(task !== undefined && { task }),
    ...(pr !== undefined && { pr }),
  };
  let cursor: string | undefined;
  let latest: Schemas["Asset"] | null = null;
  for (let page = 0; page < pagesMax; page++) {
    const query = { ...named, limit: pageLength, ...(cursor !== undefined && { cursor }) };
    const { assets, next_cursor } = await unwrap(api.GET("/assets", { params: { query } }));
    for (const asset of assets) {
      const isMatch =
        asset.title === title &&
        asset.status !== "superseded" &&
        taskNumberOf(asset) === taskNumberOf(of) &&
        asset.pr === (pr ?? null);
      if (isMatch && (!latest || asset.created_at > latest.created_at)) latest = asset;
    }
    if (!next_cursor) break;
    cursor = next_cursor;
  }
  return latest;
}
