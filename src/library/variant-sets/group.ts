/** Variant sets in lists, which show a set as one thing: its variants, and how many have which status. */
import type { LibraryContext } from "../context.ts";
import type { SetStatus } from "../rows.ts";

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

/** By `setKey`. */
export type SetStatuses = ReadonlyMap<string, SetStatus[]>;

const order = ["pending", "approved", "published", "rejected"] as const;
const rankOf = ({ status }: SetStatus): number => order.indexOf(status as (typeof order)[number]);

/** @param sets of projects that the caller may see */
export async function loadSetStatuses(
  { data }: Pick<LibraryContext, "data">,
  sets: readonly { project: string; set: string }[],
): Promise<SetStatuses> {
  const byProject = Map.groupBy(sets, ({ project }) => project);
  const rows = await Promise.all(
    [...byProject].map(async ([project, sets]) => {
      const names = sets.map(({ set }) => set);
      return (await data.setStatuses(project, names)).map((row) => ({ ...row, project }));
    }),
  );
  const sorted = rows.flat().sort((a, b) => rankOf(a) - rankOf(b));
  return Map.groupBy(sorted, ({ project, set }) => setKey(project, set));
}
