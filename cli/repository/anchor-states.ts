/**
 * Whether the files that decisions speak of are as they were, by the ids of Git, which follow from contents
 * and hold none. `svc hook` loads this: it imports only small files.
 */
import type { Anchor } from "../../src/memory/anchor-schema.ts";
import { anchorObjects, type Search } from "./anchor-objects.ts";
import { git, namedObjects } from "./git-objects.ts";

/** What a decision is recorded with. */
export type FoundAnchor = { path: string; symbol?: string; blob?: string };

export type AnchorState = "holds" | "changed since" | "gone";

/** What is left out after this time has no state. A session waits for it. */
const historyMs = 150;
/**
 * The states of anchors in a checkout, in their order; null without a repository or a commit.
 * @param revision what is checked out
 */
export function anchorStates(
  folder: string,
  anchors: readonly Anchor[],
  revision = "HEAD",
  withinMs = historyMs,
): (AnchorState | null)[] | null {
  const search = { folder, revision, until: performance.now() + withinMs };
  const now = anchorObjects(search, anchors);
  if (!now) return null;
  const undated = anchors.filter(
    ({ blob, symbol }, at) => blob === null && !symbol && now[at] !== null && now[at] !== "gone",
  );
  const before = blobsThen(search, undated);
  return anchors.map((anchor, at) => {
    const blob = anchor.blob ?? before?.get(anchor);
    const found = now[at] ?? null;
    if (found === null || found === "gone") return found;
    if (anchor.symbol || blob === null || blob === found) return "holds";
    return blob === undefined ? null : "changed since";
  });
}

/** The ids that files had when it was decided, by the history: null for a file that was not there yet. */
function blobsThen(
  { folder, revision, until }: Search,
  anchors: readonly Anchor[],
): Map<Anchor, string | null> | null {
  if (anchors.length === 0) return new Map();
  const seconds = anchors.map(({ since }) => Math.floor(Date.parse(since) / 1000));
  const args = [
    "rev-list",
    "--first-parent",
    "--timestamp",
    `--max-age=${Math.min(...seconds) + 1}`,
    revision,
  ];
  const listed = git(folder, args, undefined, until - performance.now());
  if (listed === null) return null;
  const commits = listed
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(" ") as [string, string]);
  const last = commits.at(-1);
  const oldest = last ? `${last[1]}^` : revision;
  const names = anchors.map(({ path }, at) => {
    const commit = commits.find(([time]) => Number(time) <= (seconds[at] as number))?.[1] ?? oldest;
    return `${commit}:${path}`;
  });
  const ids = namedObjects(folder, names, until - performance.now());
  return ids && new Map(anchors.map((anchor, at) => [anchor, ids[at] ?? null]));
}

/**
 * The text of a brief, whose lines of decisions say whether what they speak of is as it was: `holds`, or each
 * file that changed or is gone.
 */
export function withAnchorStates(
  text: string,
  anchors: readonly Anchor[] | undefined,
  folder: string,
  withinMs?: number,
): string {
  const states = anchors && anchorStates(folder, anchors, "HEAD", withinMs);
  if (!anchors || !states) return text;
  return text.replace(/^(- \d{4}-\d\d-\d\d, decision (\d+))/gm, (start, _, id) => {
    const own = anchors.flatMap(({ decision, path, symbol }, at) =>
      decision === Number(id) && states[at]
        ? [{ name: symbol ? `${path}#${symbol}` : path, state: states[at] }]
        : [],
    );
    if (own.length === 0) return start;
    const lost = own.filter(({ state }) => state !== "holds").map(({ name, state }) => `${name} ${state}`);
    return `${start} [${lost.length > 0 ? lost.join(", ") : "holds"}]`;
  });
}
