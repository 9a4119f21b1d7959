/** What a pending set is called, in lists of what waits. */
import { variantsMax } from "../variant-sets/limits.ts";

/** "40 variants"; "1,000+ variants" of more than that. */
export function variantsText(count: number): string {
  if (count === 1) return "1 variant";
  const more = count > variantsMax ? "+" : "";
  return `${Math.min(count, variantsMax).toLocaleString("en")}${more} variants`;
}

/** "hero image: 40 variants" */
export const waitingSetText = ({ set, count }: { set: string; count: number }): string =>
  `${set}: ${variantsText(count)}`;
