/** Loads how many variants of the sets of a project have which status. */
import type { Reads } from "../../api/port.ts";
import type { SetStatus } from "../../library/rows.ts";
import { setKey } from "../../library/variant-sets/group.ts";

export type SetStatuses = ReadonlyMap<string, SetStatus[]>;

const order = ["pending", "approved", "published", "rejected"] as const;

export async function loadSetStatuses(
  data: Reads,
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

const rankOf = ({ status }: SetStatus): number => order.indexOf(status as (typeof order)[number]);
