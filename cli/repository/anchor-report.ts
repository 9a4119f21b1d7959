/** What a checkout says of the files of decisions to the server: their ids on the default branch, and no contents. */
import type { Anchor, AnchorReport } from "../../src/memory/anchor-schema.ts";
import { anchorObjects } from "./anchor-objects.ts";
import { git } from "./git-objects.ts";
import { gitPlace } from "./git-place.ts";

/** The sender works in the background: a large history may take its time. */
const historyMs = 20_000;
/** The most that a request takes. */
const reportedMax = 100;

/**
 * The report of a checkout; null if it has no default branch, or its history took too long. What is checked
 * out does not matter: a branch that is not merged, and commits that were not pushed, say nothing for others.
 */
export function anchorReport(folder: string, anchors: readonly Anchor[]): Omit<AnchorReport, "slug"> | null {
  const merged = defaultBranch(folder);
  if (!merged) return null;
  const wanted = anchors.slice(0, reportedMax);
  const objects = anchorObjects(folder, wanted, merged.commit, performance.now() + historyMs);
  if (!objects) return null;
  const reported = wanted.flatMap(({ decision, path, symbol }, at) => {
    const found = objects[at] ?? null;
    return found === null ? [] : [{ decision, path, symbol, blob: found === "gone" ? null : found }];
  });
  const { repo } = gitPlace(folder);
  return reported.length === 0 ? null : { at: merged.at, repo, anchors: reported };
}

/** The branch that work is merged into, as the remote last had it; in a repository without one, the local. */
function defaultBranch(folder: string): { commit: string; at: string } | null {
  const hasRemote = (git(folder, ["remote"]) ?? "").trim() !== "";
  const place = hasRemote ? "refs/remotes/origin/" : "refs/heads/";
  const names = [...(hasRemote ? ["HEAD"] : []), "main", "master"].map((name) => place + name);
  const listed = git(folder, [
    "for-each-ref",
    "--format=%(refname) %(objectname) %(committerdate:unix)",
    ...names,
  ]);
  const refs = new Map((listed ?? "").split("\n").map((line) => [line.split(" ")[0] ?? "", line.split(" ")]));
  const [, commit, seconds] = names.map((name) => refs.get(name)).find((ref) => ref !== undefined) ?? [];
  return commit && seconds ? { commit, at: new Date(Number(seconds) * 1000).toISOString() } : null;
}
