/** What the page says of each kind of group. */

import type { Asset } from "../../library/assets/schema.ts";
import type { GroupKind, PendingItem } from "../../library/comparisons/schema.ts";
import type { EarlierVersion } from "../../library/verdicts/earlier.ts";
import { earlierText } from "../assets/asset.tsx";
import { pluralize } from "../format.ts";

interface GroupWords {
  title(count: number): string;
  text: string;
  /** Whether one decision can be about all of them: their changes are like each other. */
  isAlike?: true;
}

export const groupWords: Record<GroupKind, GroupWords> = {
  same: {
    title: (count) => `${count} unchanged`,
    text: "Each is the approved file, or its image: no channel of any pixel differs by more than 2 of 255.",
    isAlike: true,
  },
  alike: {
    title: (count) => `${count} with the same change`,
    text: "The same colors changed in the same places. Nothing else changed.",
    isAlike: true,
  },
  colors: {
    title: (count) => `${count} with the same colors changed`,
    text: "The same colors changed, in different places. Look at each one.",
  },
  different: {
    title: (count) => `${count} with ${count === 1 ? "another change" : "different changes"}`,
    text: "Look at each one. You can then approve or reject those you looked at together.",
  },
  similar: {
    title: (count) => `${count} with no visible change`,
    text: "The files differ, as after lossy compression, but nothing changed visibly.",
    isAlike: true,
  },
  unknown: {
    title: (count) => `${count} not compared`,
    text: "These files could not be compared as images. Open each one, or pick those to review together.",
  },
  likes: {
    title: (count) => `${count} alike, without an approved version`,
    text: "They have about the same colors in the same places. Look at each one.",
  },
  new: {
    title: (count) => `${count} without a comparison`,
    text: "There is no approved image to compare them with. Look at each one.",
  },
  waiting: {
    title: (count) => `${count} being compared`,
    text: "The page updates when they have been compared.",
  },
};

/** `New`, or which version it is and what was said of the one before. */
export function versionText(
  { version }: Pick<Asset, "version">,
  earlier: EarlierVersion | undefined,
): string {
  if (!earlier) return version === 1 ? "New" : `Version ${version}`;
  return `Version ${version}, ${earlierText(earlier)}`;
}

/** How many places changed, and their share of the image, as in `2 places, 7 %`; empty without outlines. */
export function changeText({ boxes, share }: Pick<PendingItem, "boxes" | "share">): string {
  if (boxes.length === 0) return "";
  const percent = share < 0.01 ? (share * 100).toFixed(2) : Math.round(share * 100);
  return `${pluralize(boxes.length, "place")}, ${percent} %`;
}
