/** The variant sets of a task, each as one card instead of a list of versions for every variant. */

import { groupBySet, setKey } from "../../library/variant-sets/group.ts";
import type { AttemptChain } from "../../overview/tasks/attempts.ts";
import { SetCard } from "../variant-sets/set-card.tsx";
import type { ShownTask } from "./load-task.ts";

/** The newest version of an asset. */
export const newestOf = ({ attempts }: AttemptChain) => attempts.at(-1)?.asset ?? [];

export function TaskSets({ shown: { chains, setStatuses } }: { shown: ShownTask }) {
  const { sets } = groupBySet((chains ?? []).flatMap(newestOf));
  return sets.length === 0 ? null : (
    <ul class="grid">
      {sets.map((set) => (
        <SetCard key={set.set} {...set} statuses={setStatuses.get(setKey(set.project, set.set)) ?? []} />
      ))}
    </ul>
  );
}

/** The chains that are not part of a set. */
export function withoutSets(chains: AttemptChain[]): AttemptChain[] {
  const single = new Set(groupBySet(chains.flatMap(newestOf)).single.map(({ id }) => id));
  return chains.filter((chain) => single.has(chain.attempts.at(-1)?.asset.id ?? ""));
}
