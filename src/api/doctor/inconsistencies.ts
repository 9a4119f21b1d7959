/** Reports rows that contradict each other. */

import { type Micros, secondMicros } from "../../core/lib/time.ts";
import type { Inconsistency, RecallIndexState } from "../../core/maintenance.ts";
import type { Context } from "../context.ts";
import { type Finding, nameSome, ok, warning, wrong } from "./finding.ts";

const recountFix = "run svc doctor --fix to recalculate";
const backupFix = "compare with a backup; svc cannot repair these rows";

interface KnownFinding {
  what: string;
  text: string;
  fix: string;
  level: typeof warning;
}

const finding = (what: string, text: string, fix: string, level = wrong): KnownFinding => ({
  what,
  text,
  fix,
  level,
});

/** The finding for each kind of discrepancy, and its fix. */
const findingByKind: Record<Inconsistency["kind"], KnownFinding> = {
  counters: finding("counters", "do not match the events of these projects", recountFix),
  issues: finding("open issues", "do not match their newest events", recountFix),
  pulls: finding("pull requests", "are not joined to the issue that their events name", recountFix),
  usage: finding("usage", "does not match the events of these days", recountFix),
  budgets: finding("budgets", "do not match the usage of these periods", recountFix),
  runs: finding("runs", "do not match their events", recountFix),
  tasks: finding("tasks", "do not match their runs, assets and pull requests", recountFix),
  head: finding("feed head", "is behind the newest event", recountFix),
  queue: finding("review queue", "lists assets in the wrong order, or lacks some", recountFix),
  index: finding("recall index", "has missing or extra entries", recountFix),
  chains: finding("versions", "have a gap, or more than one latest version", backupFix),
  published: finding("published assets", "have no URL", backupFix),
  removals: finding(
    "removed assets",
    "have a file or a public URL again",
    "remove them again: svc asset delete",
  ),
  reviews: finding("rejections", "do not match their decisions", "review these assets again"),
  uploaded: finding("uploads", "in these projects lack their events", backupFix),
  outbox: finding(
    "outbox",
    "has undelivered comments",
    "check that svc serve is running, and check the tokens of the forges, such as SVC_GITHUB_TOKEN",
    warning,
  ),
  unswept: finding("cleanup", "is overdue", "start svc serve, or run svc doctor --fix", warning),
  rules: finding(
    "rules of decisions",
    "check nothing since a name in them was erased",
    "save them again on the pages of these decisions",
    warning,
  ),
};

/** Whether `svc doctor --fix` recomputes such rows. */
export const isRecomputed = (kind: Inconsistency["kind"]): boolean => findingByKind[kind].fix === recountFix;

export async function checkRows(
  { data, now }: Pick<Context, "data" | "now">,
  { deep, tell }: { deep: boolean; tell?: ((what: string) => void) | undefined },
): Promise<Finding[]> {
  const index = await data.recallIndexState();
  const inconsistencies = await data.findInconsistencies((check) => tell?.(`rows: ${check}`));
  const found = inconsistencies.flatMap(({ kind, names, count }) => {
    // While an index is rebuilt or another version's, its own finding says more than missing entries.
    if (kind === "index" && index.state !== "current") return [];
    const { level, what, text, fix } = findingByKind[kind];
    return level(what, `${text} (${nameSome(names, count)}): ${fix}`);
  });
  found.push(...checkRecallIndex(index, now()));
  if (deep) await data.isSound();
  return found.length > 0
    ? found
    : [ok("rows", "counters, usage, budgets, runs, versions and reviews match the events")];
}

/** A server retries a failed rebuild every minute; without progress for this long it is stuck. */
const stuckMicros = 600 * secondMicros;

/** Reports a recall index whose terms are not those of this version's analyzer. */
export function checkRecallIndex({ state, share, changedAt }: RecallIndexState, now: Micros): Finding[] {
  if (state === "newer")
    return [
      warning(
        "recall index",
        "made by a newer svc, so recall may miss words: upgrade svc, or run svc doctor --fix",
      ),
    ];
  if (state === "current" || changedAt === null) return [];
  const progress = `${Math.floor(share * 100)}% done`;
  return now - changedAt > stuckMicros
    ? [
        warning(
          "recall index",
          `the rebuild after an upgrade has stopped at ${progress}: ` +
            'start svc serve, or look for "recall index" in its log',
        ),
      ]
    : [ok("recall index", `being rebuilt in the background after an upgrade, ${progress}`)];
}
