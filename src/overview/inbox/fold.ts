/** Orders what needs a person, and fits it into a list that has every set and every project. */
import { countMax } from "../../library/review-queue/items.ts";
import type { Candidate } from "./candidate.ts";
import { groupNames, reasons } from "./schema.ts";

/**
 * The items in the order of the list. Assets of a project that do not fit become one item, so none vanishes.
 * @param hidden what was marked as done or snoozed
 * @param folding an item for each project with pending assets, which `folds` all of them
 * @param isHidden whether such an item was marked, and nothing in it is newer
 */
export function fit(
  shown: readonly Candidate[],
  hidden: readonly Candidate[],
  folding: readonly Candidate[],
  isHidden: (item: Candidate) => boolean,
): Candidate[] {
  const ofAll = byProject([...shown, ...hidden]);
  const isFull = (one: Candidate) => Number(one.folds) > (ofAll.get(one.project)?.length ?? 0);
  const reserved = shown.length > countMax ? folding.length : folding.filter(isFull).length;
  const byImportance = [...shown].sort(
    (a, b) => Number(isEssential(b)) - Number(isEssential(a)) || newestFirst(a, b),
  );
  const listed = byImportance.slice(0, Math.max(0, countMax - reserved));
  const [ofListed, ofShown] = [byProject([...listed, ...hidden]), byProject(shown)];
  const folded = folding.flatMap((item) => {
    const own = ofListed.get(item.project) ?? [];
    const newest = Math.max(item.at, ...(ofShown.get(item.project) ?? []).map(({ at }) => at));
    // What is folded is older than what has an item of its own.
    const rest = { ...item, at: Math.min(newest, ...own.map(({ at }) => at)) };
    const folds = Number(item.folds) - own.length;
    return folds > 0 && !isHidden(rest) ? [{ ...rest, folds }] : [];
  });
  return [...listed, ...folded].sort(
    (a, b) => rankOf(a) - rankOf(b) || dueFirst(a, b) || repeatsLast(a, b) || newestFirst(a, b),
  );
}

/** Those that a folding item of their project can stand for. */
const byProject = (all: readonly Candidate[]): Map<string | null, Candidate[]> =>
  Map.groupBy(
    all.filter(({ canFold }) => canFold),
    ({ project }) => project,
  );

const groupOf = ({ reason }: Candidate) => reasons[reason].group;
const rankOf = (one: Candidate): number => groupNames.indexOf(groupOf(one));
const isEssential = (one: Candidate): boolean => one.isGroup === true || groupOf(one) === "requested";

const dueFirst = (a: Candidate, b: Candidate): number => {
  const [dueA, dueB] = [a.due ?? Number.MAX_SAFE_INTEGER, b.due ?? Number.MAX_SAFE_INTEGER];
  return dueA - dueB;
};
const repeatsLast = (a: Candidate, b: Candidate): number =>
  Number(a.isRepeat ?? false) - Number(b.isRepeat ?? false);

const newestFirst = (a: Candidate, b: Candidate): number => b.at - a.at || (a.id < b.id ? -1 : 1);
