/** What the inbox is a query over. */
import type { Caller } from "../../core/auth/caller.ts";
import { dayMicros, type Micros } from "../../core/lib/time.ts";
import type { RunOutline } from "../../feed/rows.ts";
import type { Failure } from "../../feed/runs/repaired.ts";
import type { UrlInputs } from "../../library/assets/rendered-asset.ts";
import { countMax } from "../../library/review-queue/items.ts";
import type { AssetDetails } from "../../library/rows.ts";
import { setPath } from "../../memory/set-ref.ts";
import type { OverviewContext } from "../context.ts";
import type { Reason } from "./schema.ts";

/** What only the item of a candidate shows. */
export interface Description {
  title: string;
  detail: string | null;
  /** The number of its task, see core/task-key.ts, whose key is `task`. */
  issue?: number | null;
  task?: string | null;
  pr?: number | null;
  /** The file of its thumbnail. */
  thumb?: UrlInputs;
}

/** Something to act on; `path` is the page to do so. */
export interface Candidate extends Description {
  id: string;
  reason: Reason;
  path: string;
  project: string | null;
  at: Micros;
  due?: Micros | null;
  /** The asset that it is about; of a set, one. */
  asset?: string;
  /** Describes it by its asset, which is read only if its item is shown: a count needs no asset. */
  describe?(asset: AssetDetails): Description;
  /** How many equal failures it stands for. */
  times?: number;
  /** It repeats a rejected file: it comes after the others of its group. */
  isRepeat?: true;
  /** It stands for several assets: it is shown even when newer items fill the list. */
  isGroup?: true;
  /** It is an asset that waits for a review. Those of a project that do not fit become one item. */
  canFold?: true;
  /** It stands for this many assets of its project; those with an item of their own are subtracted. */
  folds?: number;
  /** It waits for reviewers of another kind: it is not shown, nor counted among the rest of its project. */
  isForOthers?: boolean;
}

/** What failed or stopped reporting, which Today shows, too. */
export interface Broken {
  /** Runs and previews that failed and are not repaired, the newest first. */
  failures: Failure[];
  /** Runs that stopped reporting without an end, and were not made up for. */
  lost: RunOutline[];
  /** Those that are not repaired, and those that are, the newest first. */
  failed: Failure[];
  /** Runs in flight, which may be the next attempt at what failed. */
  running: RunOutline[];
  /** How many failures were repaired. */
  repaired: number;
}

/**
 * Finds a bounded number of the newest causes that are not over, from an index, so that the inbox costs the
 * same whatever the size of the log. What is broken is read once for all.
 */
export type Source = (ctx: OverviewContext, caller: Caller, broken: Promise<Broken>) => Promise<Candidate[]>;

/** Events and lost runs that are older are not shown. What waits for a review is, whatever its age. */
export const windowMicros = 30 * dayMicros;

/** Candidates of each source: twice what is counted, so that marking a hundred as done leaves the others. */
export const candidatesMax = 2 * countMax;

export const assetPath = (id: string, project: string): string => `/assets/${id}?project=${project}`;

/** What the items of a set have in common. The id holds a hash, as names can be longer than ids. */
export const setItem = (
  prefix: string,
  { project, set }: { project: string; set: string },
): Pick<Candidate, "id" | "title" | "path" | "project"> => {
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify([project, set])).digest("base64url");
  return { id: `${prefix}-set-${hash.slice(0, 22)}`, title: set, path: setPath(project, set), project };
};
