/** How two versions can be compared, and how they are named. */

import { actorName } from "../../../core/auth/actor-name.ts";
import { isolateBidi } from "../../../core/lib/strings/display-text.ts";
import { isTable } from "../../../files/probe/table/schema.ts";
import type { Asset } from "../../../library/assets/schema.ts";
import { textBytesMax } from "../asset-text.ts";
import { isText } from "../viewer.tsx";

/** Labels and keys by the value of the query parameter `mode`. */
export const modes = {
  side: { label: "Side by side", key: "S" },
  wipe: { label: "Wipe", key: "W" },
  onion: { label: "Onion skin", key: "O" },
  flicker: { label: "Flicker", key: "F" },
  difference: { label: "Difference", key: "D" },
  text: { label: "Text diff", key: "T" },
} as const;

type Mode = keyof typeof modes;

/** The modes that lay one image over the other. */
const overlayModes = ["wipe", "onion", "flicker", "difference"] as const satisfies Mode[];

export type OverlayMode = (typeof overlayModes)[number];

export function modesOf(older: Asset, newer: Asset): Mode[] {
  if (!older.url || !newer.url) return ["side"];
  if (older.kind === "image" && newer.kind === "image") return ["side", ...overlayModes];
  const hasLines = [isText, isTable].some((isKind) => isKind(older) && isKind(newer));
  return hasLines ? ["side", "text"] : ["side"];
}

/** The first mode to show: the lines that changed of a plain text, and both files of anything else. */
export function defaultMode(older: Asset, newer: Asset): Mode {
  const isPlainText = (asset: Asset) => asset.kind === "file" && asset.size <= textBytesMax;
  const canDiff = modesOf(older, newer).includes("text");
  return canDiff && isPlainText(older) && isPlainText(newer) ? "text" : "side";
}

/** How two compared versions are called. */
type NamedAsset = Pick<Asset, "title" | "version" | "run_id" | "created_by">;

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
