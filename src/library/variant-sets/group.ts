/** Groups assets by their variant set: lists show a set as one thing. */

interface Variant {
  project: string | null;
  set?: string | null;
}

export interface SetOfVariants<T> {
  project: string;
  set: string;
  variants: [T, ...T[]];
}

/** Splits assets into those of a set with several of them, and the others. Both keep their order. */
export function groupBySet<T extends Variant>(
  assets: readonly T[],
): { single: T[]; sets: SetOfVariants<T>[] } {
  const single: T[] = [];
  const sets: SetOfVariants<T>[] = [];
  const groups = Map.groupBy(assets, ({ project, set }) => (set && project ? setKey(project, set) : null));
  for (const [first, ...others] of groups.values()) {
    const { project, set } = first as T; // safe because: a group has a member
    if (set && project && others.length > 0) sets.push({ project, set, variants: [first as T, ...others] });
    else single.push(first as T, ...others);
  }
  return { single, sets };
}

export const setKey = (project: string, set: string): string => JSON.stringify([project, set]);

/** How many things these assets are, when a set is one. */
export function countItems(assets: readonly Variant[]): number {
  const { single, sets } = groupBySet(assets);
  return single.length + sets.length;
}
