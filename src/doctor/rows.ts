/** Rows that do not agree with each other. */
import type { Context } from "../context.ts";
import type { Inconsistency } from "../maintenance.ts";
import { type Finding, named, ok, warning, wrong } from "./finding.ts";

const recount = "svc doctor --fix counts anew";
const fromBackup = "compare with a backup; rows are not mended by guessing";

/** What is said of each kind, and what mends it. */
const lines: Record<
  Inconsistency["kind"],
  { level: typeof warning; what: string; said: string; mend: string }
> = {
  counters: {
    level: wrong,
    what: "counters",
    said: "do not say what the events of these projects say",
    mend: recount,
  },
  issues: {
    level: wrong,
    what: "open issues",
    said: "are not as their newest events left them",
    mend: recount,
  },
  usage: { level: wrong, what: "usage", said: "is not the sum of the events of these days", mend: recount },
  head: { level: wrong, what: "head of the feed", said: "is behind the newest event", mend: recount },
  queue: { level: wrong, what: "review queue", said: "has assets in the wrong place", mend: recount },
  index: { level: wrong, what: "indexes of recall", said: "lack rows, or have too many", mend: recount },
  chains: {
    level: wrong,
    what: "versions",
    said: "of these chains have a gap or more than one head",
    mend: fromBackup,
  },
  published: { level: wrong, what: "published assets", said: "have no address", mend: fromBackup },
  reviews: {
    level: wrong,
    what: "rejections",
    said: "and their decisions disagree",
    mend: "review these assets again",
  },
  uploaded: {
    level: wrong,
    what: "uploads",
    said: "of these projects are more than the feed knows of",
    mend: fromBackup,
  },
  outbox: {
    level: warning,
    what: "outbox",
    said: "waits for the source host",
    mend: "look whether svc serve runs, and at SVC_GITHUB_TOKEN",
  },
  unswept: {
    level: warning,
    what: "sweep",
    said: "is overdue",
    mend: "start svc serve, or svc doctor --fix",
  },
};

export async function examineRows(
  { data }: Pick<Context, "data">,
  { deep }: { deep: boolean },
): Promise<Finding[]> {
  const found = (await data.findInconsistencies()).map(({ kind, names, count }) => {
    const { level, what, said, mend } = lines[kind];
    return level(what, `${said} (${named(names, count)}): ${mend}`);
  });
  if (deep) await data.isSound();
  return found.length > 0
    ? found
    : [ok("rows", "counters, sums, versions and reviews agree with the events")];
}
