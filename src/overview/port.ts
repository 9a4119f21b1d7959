/** The reads and writes of what is compiled across the rooms below. Part of the data port. */

import type { LibraryData, LibraryReads, LibraryWrites } from "../library/port.ts";
import type { InboxReads, InboxWrites } from "./inbox/port.ts";
import type { RunMemoryReads, RunMemoryWrites } from "./runs/port.ts";
import type { TaskReads } from "./tasks/port.ts";
import type { TodayReads, TodayWrites } from "./today/port.ts";
import type { ReportReads } from "./usage/port.ts";

export interface OverviewReads
  extends LibraryReads,
    TaskReads,
    TodayReads,
    InboxReads,
    RunMemoryReads,
    ReportReads {}

export interface OverviewWrites
  extends OverviewReads,
    LibraryWrites,
    TodayWrites,
    InboxWrites,
    RunMemoryWrites {}

export interface OverviewData extends OverviewReads, LibraryData {
  atomically<T>(work: (writes: OverviewWrites) => Promise<T>): Promise<T>;
}
