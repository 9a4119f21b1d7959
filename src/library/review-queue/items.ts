/**
 * The items of the review queue: assets and sets that wait. A brief loads this, so it imports no schemas
 * (`bun run bench help`).
 */
import type { Micros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import type { LibraryReads } from "../port.ts";
import type { PendingAsset, PendingAssetsRow, PendingFilter, PendingSetRow } from "../rows.ts";
import { variantsMax } from "../variant-sets/limits.ts";

/** An asset that waits, or a set. */
export interface QueueItem {
  /** Of the asset, or of the oldest pending variant. */
  id: string;
  /** When it was uploaded. */
  at: Micros;
  set: PendingSetRow | null;
  /** Whether it repeats a rejected file. */
  isRepeat: boolean;
}

/** The most that is counted: more is shown as "99+". */
export const countMax = 100;
/** Projects whose queues are read. */
export const projectsMax = 50;
/** Variants of a set that stand for it. */
const variantsShown = 4;

export const loadPendingSets = (
  data: Pick<LibraryReads, "pendingSets">,
  projects: Projects,
  filter: PendingFilter,
): Promise<PendingSetRow[]> =>
  data.pendingSets(projects, {
    ...filter,
    projects: projectsMax,
    sets: countMax,
    count: variantsMax + 1,
    listed: variantsShown,
  });

export const itemOf = ({ id, created_at }: PendingAsset): QueueItem => ({
  id,
  at: created_at,
  set: null,
  isRepeat: false,
});

export const repeatsOf = (row: PendingAssetsRow | undefined): QueueItem[] =>
  (row?.listedRepeats ?? []).map((asset) => ({ ...itemOf(asset), isRepeat: true }));

export const setItem = (set: PendingSetRow, at: Micros): QueueItem => ({
  id: set.listed[0].id,
  at,
  set,
  isRepeat: false,
});

/** What waits in a project, the newest first, then what repeats a rejected file. */
export async function loadNewest(
  data: Pick<LibraryReads, "pendingAssets" | "pendingSets">,
  project: string,
  max: number,
): Promise<QueueItem[]> {
  const limits = { projects: 1, count: 1, listed: max };
  const [[row], sets] = await Promise.all([
    data.pendingAssets([project], { ...limits, order: "newest first" }),
    loadPendingSets(data, [project], {}),
  ]);
  const items = [...(row?.listed ?? []).map(itemOf), ...sets.map((set) => setItem(set, set.newest))];
  return [...items.sort((a, b) => b.at - a.at), ...repeatsOf(row)].slice(0, max);
}
