/** Suggestions for mistyped commands and flags. */
import { editDistance, editsMax, isLikelyTypo } from "../../src/core/text/typo-candidates.ts";

/** The name that was probably meant; undefined if none is close. */
export function closestName(typed: string, names: string[]): string | undefined {
  const edits = (name: string) => editDistance(typed, name, editsMax);
  const [closest] = names
    .filter((name) => isLikelyTypo(typed, name, edits(name)))
    .toSorted((a, b) => edits(a) - edits(b));
  return closest;
}
