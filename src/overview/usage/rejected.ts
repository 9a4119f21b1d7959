/** The cost of rejected work: the runs of versions that were rejected. */

import type { Caller } from "../../core/auth/caller.ts";
import { fromMicros } from "../../core/lib/time.ts";
import { YieldBudget } from "../../core/lib/time-slices.ts";
import { issueOnly } from "../../core/task-key.ts";
import { requireProject } from "../../feed/projects/projects.ts";
import { piecesOf, rangeOf } from "../../feed/usage/ranges.ts";
import type { UsageSums } from "../../feed/usage/schema.ts";
import { addSums, noUsage, rounded } from "../../feed/usage/sums.ts";
import type { OverviewContext } from "../context.ts";
import type { RejectedVersion as RejectedRow } from "../rows.ts";
import type { RejectedUsage, RejectedUsageQuery, RejectedVersion } from "./rejected-schema.ts";

/** Days read at a time, so that SQLite does not block other requests. */
const pieceDays = 31;

/** @throws 400 for a range that cannot be reported, 404 for an unknown project */
export async function rejectedUsage(
  { data, now }: Pick<OverviewContext, "data" | "now">,
  { project, limit = 50, ...given }: RejectedUsageQuery,
  caller: Pick<Caller, "projects">,
): Promise<RejectedUsage> {
  const range = rangeOf(given, { now });
  if (project !== undefined) await requireProject(data, project, caller);
  const budget = new YieldBudget(1);
  const counted = new Set<string>();
  const versions: { row: RejectedRow; sums: UsageSums }[] = [];
  const all = noUsage();
  for (const piece of piecesOf(range, pieceDays)) {
    const query = { ...piece, ...(project !== undefined && { project }) };
    for (const row of await data.rejectedVersions(caller.projects, query)) {
      const sums = costOf(row, counted);
      addSums(all, sums);
      versions.push({ row, sums });
    }
    await budget.spend(1);
  }
  versions.sort(
    (a, b) => b.sums.cost_equiv - a.sums.cost_equiv || (a.row.rejected_at < b.row.rejected_at ? 1 : -1),
  );
  const rows = versions.slice(0, limit).map(versionOf);
  const { failures: _, merges: __, ...total } = rounded(all);
  const visible = { from: range.from, to: range.to, ...(project !== undefined && { project }) };
  return {
    ...range,
    musts: mustsOf(await data.confirmedMusts(caller.projects, visible)),
    total: { versions: versions.length, ...total },
    rows,
    count: rows.length,
    more: versions.length - rows.length,
  };
}

function mustsOf(rows: readonly { attempts: number; count: number }[]): RejectedUsage["musts"] {
  const confirmed = rows.reduce((sum, { count }) => sum + count, 0);
  const attempts = rows.reduce((sum, { attempts, count }) => sum + attempts * count, 0);
  const most = Math.max(0, ...rows.map(({ attempts }) => attempts));
  return { confirmed, attempts: confirmed === 0 ? 0 : Math.round((attempts / confirmed) * 100) / 100, most };
}

/** Sums the runs of a version that no version before it has counted. @param counted their keys, added to */
function costOf({ runs }: RejectedRow, counted: Set<string>): UsageSums {
  const sums = noUsage();
  for (const run of runs) {
    if (counted.has(keyOf(run))) continue;
    counted.add(keyOf(run));
    addSums(sums, { ...run, runs: 1, failures: 0, merges: 0 });
  }
  return rounded(sums);
}

function versionOf({ row, sums }: { row: RejectedRow; sums: UsageSums }): RejectedVersion {
  const { runs: _, ...version } = row;
  const { failures: __, merges: ___, ...spent } = sums;
  const issue = issueOnly(version.issue);
  return { ...version, issue, rejected_at: fromMicros(version.rejected_at), ...spent };
}

const keyOf = ({ project, id }: RejectedRow["runs"][number]): string => `${project} ${id}`;
