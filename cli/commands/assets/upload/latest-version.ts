/** Finds the assets that uploads probably replace: the newest version with the same title and task. */
import { taskNumberOf } from "../../../../src/core/task-key.ts";
import type { ApiAccess } from "../../../api.ts";
import { type Schemas, unwrap } from "../../../client/client.ts";

export interface TaskOfUpload {
  project: string;
  issue?: number;
  task?: string;
  pr?: number;
}

/** By title. */
export type LatestVersions = ReadonlyMap<string, Schemas["Asset"]>;

const pageLength = 200;
/** Pages to search. Assets come pending first, then newest first, so an older asset is rarely meant. */
const pagesMax = 5;

/** The newest version of each asset with this project and task, read once for all files of a push. */
export async function findLatestVersions(
  { api }: Pick<ApiAccess, "api">,
  of: TaskOfUpload,
): Promise<LatestVersions> {
  const { project, issue, task, pr } = of;
  const named = {
    project,
    ...(issue !== undefined && { issue }),
    ...(task !== undefined && { task }),
    ...(pr !== undefined && { pr }),
  };
  let cursor: string | undefined;
  const latest = new Map<string, Schemas["Asset"]>();
  for (let page = 0; page < pagesMax; page++) {
    const query = { ...named, limit: pageLength, ...(cursor !== undefined && { cursor }) };
    const { assets, next_cursor } = await unwrap(api.GET("/assets", { params: { query } }));
    for (const asset of assets) {
      const isMatch =
        asset.status !== "superseded" &&
        taskNumberOf(asset) === taskNumberOf(of) &&
        asset.pr === (pr ?? null);
      const known = latest.get(asset.title);
      if (isMatch && (!known || asset.created_at > known.created_at)) latest.set(asset.title, asset);
    }
    if (!next_cursor) break;
    cursor = next_cursor;
  }
  return latest;
}
