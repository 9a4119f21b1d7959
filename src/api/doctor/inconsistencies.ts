/** Reports rows that contradict each other. */

import { type Micros, secondMicros } from "../../core/lib/time.ts";
import type { Inconsistency, RecallIndexState } from "../../core/maintenance.ts";
import type { Context } from "../context.ts";
import { type Finding, nameSome, ok, warning, wrong } from "./finding.ts";

const recountFix = "run svc doctor --fix to recalculate";
const backupFix = "compare with a backup; svc cannot repair these rows";

/** The finding for each kind of discrepancy, and its fix. */
const findingByKind: Record<
  Inconsistency["kind"],
  { level: typeof warning; what: string; text: string; fix: string }
> = {
  counters: {
    level: wrong,
    what: "counters",
    text: "do not match the events of these projects",
    fix: recountFix,
  },
  issues: {
    level: wrong,
    what: "open issues",
    text: "do not match their newest events",
    fix: recountFix,
  },
  pulls: {
    level: wrong,
    what: "pull requests",
    text: "are not joined to the issue that their events name",
    fix: recountFix,
  },
  usage: {
    level: wrong,
    what: "usage",
    text: "does not match the events of these days",
    fix: recountFix,
  },
  budgets: {
    level: wrong,
    what: "budgets",
    text: "do not match the usage of these periods",
    fix: recountFix,
  },
  runs: { level: wrong, what: "runs", text: "do not match their events", fix: recountFix },
  tasks: {
    level: wrong,
    what: "tasks",
    text: "do not match their runs, assets and pull requests",
    fix: recountFix,
  },
  head: { level: wrong, what: "feed head", text: "is behind the newest event", fix: recountFix },
  queue: {
    level: wrong,
    what: "review queue",
    text: "lists assets in the wrong order, or lacks some",
    fix: recountFix,
  },
  index: { level: wrong, what: "recall index", text: "has missing or extra entries", fix: recountFix },
  chains: {
    level: wrong,
    what: "versions",
    text: "have a gap, or more than one latest version",
    fix: backupFix,
  },
  published: { level: wrong, what: "published assets", text: "have no URL", fix: backupFix },
  removals: {
    level: wrong,
    what: "removed assets",
    text: "have a file or a public URL again",
    fix: "remove them again: svc asset delete",
  },
  reviews: {
    level: wrong,
    what: "rejections",
    text: "do not match their decisions",
    fix: "review these assets again",
  },
  uploaded: {
    level: wrong,
    what: "uploads",
    text: "in these projects lack their events",
    fix: backupFix,
  },
  outbox: {
    level: warning,
    what: "outbox",
    text: "has undelivered comments",
    fix: "check that svc serve is running, and check the tokens of the forges, such as SVC_GITHUB_TOKEN",
  },
  unswept: {
    level: warning,
    what: "cleanup",
    text: "is overdue",
    fix: "start svc serve, or run svc doctor --fix",
  },
  rules: {
    level: warning,
    what: "rules of decisions",
    text: "check nothing since a name in them was erased",
    fix: "save them again on the pages of these decisions",
  },
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
