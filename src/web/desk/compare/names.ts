/** How two compared versions are called. */

import { actorName } from "../../../core/auth/actor-name.ts";
import { isolateBidi } from "../../../core/lib/strings/display-text.ts";
import type { Asset } from "../../../library/assets/schema.ts";

export type NamedAsset = Pick<Asset, "title" | "version" | "run_id" | "created_by">;

/** `map.png, version 2` */
export const fullName = ({ title, version }: NamedAsset): string =>
  `${isolateBidi(title)}, version ${version}`;

/** The run that made an asset or, if it is not known, who did. */
export const makerOf = ({ run_id, created_by }: NamedAsset): string =>
  run_id ? `run ${run_id}` : `by ${isolateBidi(actorName(created_by))}`;

/** `v1`; two that have the same number get a letter too. */
export function shortNames(older: NamedAsset, newer: NamedAsset): [string, string] {
  if (older.version !== newer.version) return [`v${older.version}`, `v${newer.version}`];
  return [`A, v${older.version}`, `B, v${newer.version}`];
}
