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
    title: (count) => `${count} changed alike`,
    text: "The same colors changed in the same places, and nothing else did.",
    isAlike: true,
  },
  colors: {
    title: (count) => `${count} changed in the same colors`,
    text: "The same colors changed, in different places. Look at each one.",
    isAlike: false,
  },
  different: {
    title: (count) => `${count} changed in ${count === 1 ? "its own way" : "their own way"}`,
    text:
      "No two of these changed alike, so look at each one: what you have looked at can be approved " +
      "together.",
    isAlike: false,
  },
  similar: {
    title: (count) => `${count} with no visible change`,
    text: "Other pixels, as after a lossy encoding, but no pixel and no block of pixels changed visibly.",
    isAlike: true,
  },
  unknown: {
    title: (count) => `${count} not compared`,
    text: "These files cannot be compared as images. Open them, or pick those to decide about together.",
    isAlike: false,
  },
  likes: {
    title: (count) => `${count} new ones that look alike`,
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
    text: "The page is updated when they have been compared.",
    isAlike: false,
  },
};

/** How many places changed, and their share of the image, as in `2 places, 7 %`; empty without outlines. */
export function changeText({ boxes, share }: Pick<PendingItem, "boxes" | "share">): string {
  if (boxes.length === 0) return "";
  const percent = share < 0.01 ? (share * 100).toFixed(2) : Math.round(share * 100);
  return `${pluralize(boxes.length, "place")}, ${percent} %`;
}
