/** How two versions can be compared. */
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
export type Mode = keyof typeof modes;

/** The modes that lay one image over the other. */
export const overlayModes = ["wipe", "onion", "flicker", "difference"] as const satisfies Mode[];
export type OverlayMode = (typeof overlayModes)[number];

export function modesOf(older: Asset, newer: Asset): Mode[] {
  if (!older.url || !newer.url) return ["side"];
  if (older.kind === "image" && newer.kind === "image") return ["side", ...overlayModes];
  return isText(older) && isText(newer) ? ["side", "text"] : ["side"];
}

/** The first mode to show: the lines that changed of a plain text, and both files of anything else. */
export function defaultMode(older: Asset, newer: Asset): Mode {
  const isPlainText = (asset: Asset) => asset.kind === "file" && asset.size <= textBytesMax;
  const canDiff = modesOf(older, newer).includes("text");
  return canDiff && isPlainText(older) && isPlainText(newer) ? "text" : "side";
}
