/** Decides which assets the files of a push replace. */

import { taskNumberOf } from "../../../../src/core/task-key.ts";
import type { ApiAccess } from "../../../api.ts";
import { type Schemas, unwrap } from "../../../client/client.ts";
import type { PausableProgress } from "../../../output/progress.ts";
import { note, type OutputArgs } from "../../../output/report.ts";
import { confirm } from "../../../output/terminal.ts";
import { ifReadable } from "./repeated-file.ts";

/** The value of `--replaces` that stands for the newest version with the same title and task. */
export const latest = "latest";

interface ReplaceArgs extends OutputArgs {
  replaces?: string | undefined;
}

/**
 * The IDs of the assets that uploads replace, by title. Without `--replaces`, a terminal asks whether to
 * replace an asset of the same title and task; elsewhere a note says how.
 */
export async function findParents(
  access: Pick<ApiAccess, "api">,
  titles: ReadonlySet<string>,
  metadata: TaskOfUpload,
  args: ReplaceArgs,
  bar: PausableProgress,
): Promise<Map<string, string>> {
  const { replaces } = args;
  if (replaces && replaces !== latest) return new Map([...titles].map((title) => [title, replaces]));
  // Neither asked nor told, so not looked up: that reads pages of assets.
  if (!replaces && (args.json || args.quiet)) return new Map();
  const search = findLatestVersions(access, metadata);
  const found = replaces ? await search : await ifReadable(search);
  const parents = new Map<string, string>();
  for (const title of titles) {
    const asset = found?.get(title);
    if (asset && (replaces || (await mayReplace(asset, args, bar)))) parents.set(title, asset.id);
  }
  return parents;
}

async function mayReplace(
  asset: Schemas["Asset"],
  args: ReplaceArgs,
  bar: PausableProgress,
): Promise<boolean> {
  bar.clear();
  const what = `${titleOf(asset)} is ${asset.status}, version ${asset.version}`;
  if (process.stdin.isTTY && process.stderr.isTTY) {
    note(args, `${what}.`);
    return confirm("Replace it with a new version?");
  }
  note(args, `${what} (${asset.id}). To replace such an asset: --replaces latest`);
  return false;
}

const titleOf = ({ title, project, issue, task: key, pr }: Schemas["Asset"]): string => {
  const task = key ? `, ${key}` : issue ? `, issue ${issue}` : pr ? `, pull request ${pr}` : "";
  return `"${title}" (${project}${task})`;
};

interface TaskOfUpload {
  project: string;
  issue?: number;
  task?: string;
  pr?: number;
}

/** By title. */
type LatestVersions = ReadonlyMap<string, Schemas["Asset"]>;

const pageLength = 200;
/** Pages to search. Assets come pending first, then newest first, so an older asset is rarely meant. */
const pagesMax = 5;

/** The newest version of each asset with this project and task, read once for all files of a push. */
async function findLatestVersions(
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
