/** Decides which assets the files of a push replace. */
import type { ApiAccess } from "../../../api.ts";
import type { Schemas } from "../../../client/client.ts";
import type { PausableProgress } from "../../../output/progress.ts";
import { note, type OutputArgs } from "../../../output/report.ts";
import { confirm } from "../../../output/terminal.ts";
import { findLatestVersions, type TaskOfUpload } from "./latest-version.ts";
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
