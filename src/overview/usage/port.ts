/** The report of rejected versions, as rows, and its part of the data port. */

import type { Micros } from "../../core/lib/time.ts";
import type { Projects } from "../../core/rows.ts";
import type { RunUsage, UsageRange } from "../../feed/usage/port.ts";
import type { AssetRow } from "../../library/rows.ts";

/** A version that was rejected, with the runs that it took. */
export interface RejectedVersion extends Pick<AssetRow, "title" | "version" | "project" | "issue" | "pr"> {
  asset: string;
  rejected_at: Micros;
  runs: RunUsage[];
}

export interface ReportReads {
  /** Versions that were rejected in a range and not approved later, the first rejection first. */
  rejectedVersions(projects: Projects, query: UsageRange & { project?: string }): Promise<RejectedVersion[]>;
  /** The `must` annotations that people confirmed in a range, by the number of versions that they took. */
  confirmedMusts(
    projects: Projects,
    query: UsageRange & { project?: string },
  ): Promise<{ attempts: number; count: number }[]>;
}
