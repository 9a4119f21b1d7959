/** The variants of a set are one item, as they are reviewed together. */
import { setPath } from "../../variant-sets/set-ref.ts";
import type { Candidate } from "../candidate.ts";

interface Variant {
  project: string;
  set?: string | null;
}

export interface SetOfVariants<T> {
  project: string;
  set: string;
  variants: T[];
}

/** Splits assets into those of a set with several of them, and the others. */
export function groupBySet<T extends Variant>(
  assets: readonly T[],
): { single: T[]; sets: SetOfVariants<T>[] } {
  const single: T[] = [];
  const sets: SetOfVariants<T>[] = [];
  const groups = Map.groupBy(assets, ({ project, set }) => (set ? JSON.stringify([project, set]) : null));
  for (const variants of groups.values()) {
    const { project, set } = variants[0] as T;
    if (set && variants.length > 1) sets.push({ project, set, variants });
    else single.push(...variants);
  }
  return { single, sets };
}

/** What the items of a set have in common. The id holds a hash, as names can be longer than ids. */
export const setItem = (
  prefix: string,
  { project, set }: SetOfVariants<unknown>,
): Pick<Candidate, "id" | "title" | "path" | "project"> => {
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify([project, set])).digest("base64url");
  return { id: `${prefix}-set-${hash.slice(0, 22)}`, title: set, path: setPath(project, set), project };
};
