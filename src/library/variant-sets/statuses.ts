/** How many variants of each set have which status, for lists that show a set as one thing. */

import type { LibraryContext } from "../context.ts";
import type { SetStatus } from "../rows.ts";
import { setKey } from "./group.ts";

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
