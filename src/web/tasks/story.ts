/** A task in one or two sentences. */

import { groupBySet } from "../../library/variant-sets/group.ts";
import type { Attempt, AttemptChain } from "../../overview/tasks/attempts.ts";
import { formatCost, pluralize } from "../format.ts";
import type { ShownTask } from "./load-task.ts";
import { countChanges } from "./requested-changes.ts";
import { newestOf, withoutSets } from "./sets.tsx";

const list = new Intl.ListFormat("en", { type: "conjunction" });

/**
 * 3 versions, 2 rejected. $4.10 in 6 runs, $1.20 of it for rejected versions. A variant set counts once:
 * 1 version and 1 variant set, 2 waiting for review.
 */
export function storyOf({ runs, hasMoreRuns, chains, changes, cost }: ShownTask): string {
  const versions = withoutSets(chains ?? []).flatMap(({ attempts }) => attempts);
  const sets = verdictsOfSets(chains ?? []);
  const verdicts = [...versions.map(({ verdict }) => verdict), ...sets];
  const results = (["rejected", "pending", "approved", "published"] as const).flatMap((verdict) => {
    const count = verdicts.filter((one) => one === verdict).length;
    return count > 0 ? [`${count} ${verdict === "pending" ? "waiting for review" : verdict}`] : [];
  });
  const things = [
    ...(versions.length > 0 ? [pluralize(versions.length, "version")] : []),
    ...(sets.length > 0 ? [pluralize(sets.length, "variant set")] : []),
  ];
  const made = things.length === 0 ? [] : [`${[list.format(things), ...results].join(", ")}.`];
  const spent =
    `${formatCost(cost.total)} in ${hasMoreRuns ? "the newest " : ""}${pluralize(runs.length, "run")}` +
    (cost.rejected > 0 ? `, ${formatCost(cost.rejected)} of it for rejected versions.` : ".");
  const { all, honoured, ignored } = countChanges(chains ?? [], changes);
  const requested =
    all === 0 ? [] : [`${pluralize(all, "change")} requested, ${honoured} honoured, ${ignored} ignored.`];
  return [...made, ...requested, ...(runs.length > 0 ? [spent] : [])].join(" ");
}

/** A set waits as long as one of its variants does, and is rejected only if all of them are. */
function verdictsOfSets(chains: AttemptChain[]): Attempt["verdict"][] {
  const order = ["pending", "published", "approved", "rejected"] as const;
  return groupBySet(chains.flatMap(newestOf)).sets.map(
    ({ variants }) => order.find((verdict) => variants.some(({ status }) => status === verdict)) ?? "pending",
  );
}
