/** The totals of a range, each with its change against the range compared with. */
import { ownerGroups, type UsageGroup, type UsageReport, type UsageSums } from "../../feed/usage/schema.ts";
import { costPerMerge } from "../../feed/usage/sums.ts";
import { formatCost, formatCount } from "../format.ts";
import { urlWith, type View } from "../view.ts";
import { Change } from "./change.tsx";
import { countedUrl } from "./counted-events.tsx";
import { type Choice, isOwned } from "./filters.tsx";
import { Fact } from "./usage.tsx";

interface UsageFactsProps {
  report: UsageReport;
  view: View;
  choice: Choice;
  /** Whether the range compared with has too little data for changes in percent. */
  isSparse: boolean;
}

export function UsageFacts({ report, view: { url }, choice, isSparse }: UsageFactsProps) {
  const { from, to, total, unattributed, compared } = report;
  const { project, team, person } = choice;
  const counted = { from, to, project, team, person };
  const before = compared?.total;
  /** The table below, whose rows have the sum that the number is; there is none of a team by each group. */
  const tableUrl = (by: UsageGroup) =>
    isOwned(choice) && !(ownerGroups as readonly UsageGroup[]).includes(by)
      ? undefined
      : `${urlWith(url, { by, interval: null, compare_from: null, compare_to: null })}#by-group`;
  const fact = (
    name: string,
    value: (sums: UsageSums) => number,
    show: (value: number) => string,
    href?: string,
  ) => (
    <Fact
      name={name}
      {...(href && { href })}
      value={
        <>
          {show(value(total))}{" "}
          {before && <Change now={value(total)} before={value(before)} show={show} isSparse={isSparse} />}
        </>
      }
    />
  );
  return (
    <dl class="facts-grid wide panel">
      {fact("Cost", (sums) => sums.cost_equiv, formatCost, tableUrl("run"))}
      {fact("Tokens in", (sums) => sums.tokens_in, formatCount, tableUrl("model"))}
      {fact("Tokens out", (sums) => sums.tokens_out, formatCount, tableUrl("model"))}
      {fact("Read from cache", (sums) => sums.cache_read, formatCount, tableUrl("model"))}
      {fact("Runs", (sums) => sums.runs, formatCount, countedUrl("runs", counted))}
      {fact("Failed", (sums) => sums.failures, formatCount, countedUrl("failures", counted))}
      {fact("Merged", (sums) => sums.merges, formatCount, countedUrl("merges", counted))}
      {total.merges > 0 &&
        fact("Cost per merge", (sums) => costPerMerge(sums) ?? 0, formatCost, tableUrl("task"))}
      {unattributed && (
        <Fact name="Unattributed" value={formatCost(unattributed.cost_equiv)} href={tableUrl("task")} />
      )}
    </dl>
  );
}
