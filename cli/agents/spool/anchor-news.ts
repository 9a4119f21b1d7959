/** Reports of the files of decisions, each sent once: sessions start far more often than a default branch moves. */

import type { Anchor, AnchorReport } from "../../../src/memory/anchor-schema.ts";
import { anchorObjects } from "../../repository/anchor-objects.ts";
import { git } from "../../repository/git-objects.ts";
import { gitPlace } from "../../repository/git-place.ts";
import { deleteOldAnswers, readAnswer, writeAnswer } from "../saved-answers.ts";
import type { AskedAnchors } from "./spool.ts";

const kind = "anchors";

/** The report of a checkout; null if there is none, or it is the one that was sent last. */
export function newAnchorReport(
  server: string,
  { project, folder, anchors }: AskedAnchors,
): { body: object; remember(): void } | null {
  const body = anchorReport(folder, anchors);
  if (!body) return null;
  const question = [server, project, folder];
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify(body)).digest("hex");
  if (readAnswer<{ at: number; hash: string }>(kind, question)?.hash === hash) return null;
  const remember = () => {
    const answer = { at: Date.now(), hash };
    try {
      writeAnswer(kind, question, answer);
      deleteOldAnswers(kind);
    } catch {} // a folder that cannot be written: it is sent again
  };
  return { body, remember };
}

/** The sender works in the background: a large history may take its time. */
const historyMs = 20_000;
/** The most that a request takes. */
const reportedMax = 100;

/**
 * The report of a checkout; null if it has no default branch, or its history took too long. What is checked
 * out does not matter: a branch that is not merged, and commits that were not pushed, say nothing for others.
 */
function anchorReport(folder: string, anchors: readonly Anchor[]): Omit<AnchorReport, "slug"> | null {
  const merged = defaultBranch(folder);
  if (!merged) return null;
  const wanted = anchors.slice(0, reportedMax);
  const search = { folder, revision: merged.commit, until: performance.now() + historyMs };
  const objects = anchorObjects(search, wanted);
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
