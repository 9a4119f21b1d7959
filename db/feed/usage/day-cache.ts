/** Sums of usage by project and day, as a process remembers them: most days of a report have ended. */
import type { SummedGroup } from "../../../src/feed/rows.ts";
import type { UsageSums } from "../../../src/feed/usage/schema.ts";

/** Groups of which a project has few on a day, whatever happened there. A day may have thousands of tasks. */
export type DayGroup = Exclude<SummedGroup, "task">;

/** The usage of one group, such as one actor, in a project on a day; "" is work without one. */
export interface DaySum {
  name: string;
  usage: UsageSums;
}

export interface ProjectDay {
  project: string;
  day: string;
}

/** The head of the feed that the sums are of. */
export interface Version {
  /** The last event that they include. */
  derived: number;
  /** Changes when rows are rewritten. */
  budgets: number;
}

/** About 20 MB: a year of a hundred projects. */
const sumsMax = 100_000;

type Days = ReadonlyMap<string, readonly DaySum[]>;
type StoredDays = Map<string, readonly DaySum[]>;

export class DayCache {
  readonly #groups = new Map<DayGroup, Map<string, StoredDays>>();
  #size = 0;
  /** Another object whenever sums were dropped, which a read may have read before. */
  version: Readonly<Version> | null = null;

  /** The days of a project that are remembered. */
  daysOf(by: DayGroup, project: string): Days | undefined {
    return this.#groups.get(by)?.get(project);
  }

  /** Remembers the sums of a day; an empty list if it has none. */
  set(by: DayGroup, { project, day }: ProjectDay, sums: readonly DaySum[]): void {
    if (this.#size > sumsMax) this.#drop();
    const projects = this.#groups.get(by) ?? new Map<string, StoredDays>();
    this.#groups.set(by, projects);
    const days: StoredDays = projects.get(project) ?? new Map();
    projects.set(project, days);
    days.set(day, sums);
    this.#size += 1 + sums.length;
  }

  /** Declares the sums to be those of a version. @param changed the days that differ in it; null for all */
  moveTo(version: Version, changed: readonly ProjectDay[] | null): void {
    this.version = version;
    if (!changed) this.#drop();
    for (const { project, day } of changed ?? [])
      for (const projects of this.#groups.values()) projects.get(project)?.delete(day);
  }

  clear(): void {
    this.version = null;
    this.#drop();
  }

  #drop(): void {
    this.#groups.clear();
    this.#size = 0;
  }
}
