/** Fits what waits into a list of limited length, so that every set and every project is in it. */
import { countMax } from "../../library/review-queue/count-max.ts";
import type { Candidate } from "./candidate.ts";

export interface Fitted {
  items: Candidate[];
  /** How many things wait, up to `countMax`. */
  count: number;
}

/**
 * The newest items, sorted. Assets of a project that do not fit become its last item, so none vanishes.
 * @param hidden what was marked as done or snoozed
 * @param folding an item for each project with pending assets, which `folds` all of them
 * @param isHidden whether such an item was marked, and nothing in it is newer
 */
export function fit(
  shown: readonly Candidate[],
  hidden: readonly Candidate[],
  folding: readonly Candidate[],
  isHidden: (item: Candidate) => boolean,
): Fitted {
  const ownOf = ({ project }: Candidate, all: readonly Candidate[]) =>
    all.filter((one) => one.canFold && one.project === project);
  const isFull = (one: Candidate) => Number(one.folds) > ownOf(one, [...shown, ...hidden]).length;
  const reserved = shown.length > countMax ? folding.length : folding.filter(isFull).length;
  const byImportance = [...shown].sort(
    (a, b) => Number(b.isGroup ?? false) - Number(a.isGroup ?? false) || newestFirst(a, b),
  );
  const listed = byImportance.slice(0, Math.max(0, countMax - reserved));
  const folded = folding.flatMap((item) => {
    const own = ownOf(item, [...listed, ...hidden]);
    const newest = Math.max(item.at, ...ownOf(item, shown).map(({ at }) => at));
    // What is folded is older than what has an item of its own.
    const rest = { ...item, at: Math.min(newest, ...own.map(({ at }) => at)) };
    const folds = Number(item.folds) - own.length;
    return folds > 0 && !isHidden(rest) ? [{ ...rest, folds }] : [];
  });
  const count = folded.reduce((sum, { folds }) => sum + folds, listed.length);
  return { items: [...listed, ...folded].sort(newestFirst), count: Math.min(countMax, count) };
}

const newestFirst = (a: Candidate, b: Candidate): number => b.at - a.at || (a.id < b.id ? -1 : 1);
