/** What the page says of each kind of group. */
import type { GroupKind, PendingItem } from "../../library/comparisons/schema.ts";
import { pluralize } from "../format.ts";

interface GroupWords {
  title(count: number): string;
  text: string;
  /** Whether one decision can be about all of them: their changes are like each other. */
  isAlike: boolean;
}

export const groupWords: Record<GroupKind, GroupWords> = {
  same: {
    title: (count) => `${count} unchanged`,
    text:
      "The same file as the approved version, or the same image: no channel of any pixel differs by more " +
      "than 2 of 255.",
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
    isAlike: false,
  },
  different: {
    title: (count) => `${count} with ${count === 1 ? "another change" : "different changes"}`,
    text: "Look at each one. You can then approve or reject those you looked at together.",
    isAlike: false,
  },
  similar: {
    title: (count) => `${count} with no visible change`,
    text: "The files differ, as after lossy compression, but nothing changed visibly.",
    isAlike: true,
  },
  unknown: {
    title: (count) => `${count} not compared`,
    text: "These files could not be compared as images. Open each one, or pick those to review together.",
    isAlike: false,
  },
  likes: {
    title: (count) => `${count} new, similar to each other`,
    text: "No version was approved before. These have about the same colors in the same places.",
    isAlike: false,
  },
  new: {
    title: (count) => `${count} new`,
    text: "No version with this title was approved before.",
    isAlike: false,
  },
  waiting: {
    title: (count) => `${count} being compared`,
    text: "The page updates when they have been compared.",
    isAlike: false,
  },
};

/** How many places changed, and their share of the image, as in `2 places, 7 %`; empty without outlines. */
export function changeText({ boxes, share }: Pick<PendingItem, "boxes" | "share">): string {
  if (boxes.length === 0) return "";
  const percent = share < 0.01 ? (share * 100).toFixed(2) : Math.round(share * 100);
  return `${pluralize(boxes.length, "place")}, ${percent} %`;
}
