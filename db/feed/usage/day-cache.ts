/** What a process remembers of usage by project and day: most days of a report have ended. */
import type { GroupDay, GroupDays, SummedGroup } from "../../../src/feed/rows.ts";
import type { UsageSums } from "../../../src/feed/usage/schema.ts";

/** Groups of which a project has few on a day, whatever happened there. A day may have thousands of tasks. */
export type DayGroup = Exclude<SummedGroup, "task">;

/** The usage of one group, such as one actor, in a project on a day; "" is work without one. */
export interface DaySum {
  name: string;
  usage: UsageSums;
}

/** What is remembered of a day. Rows of numbers are flat: a day may have thousands. */
export type DayValues = Record<DayGroup, readonly DaySum[]> & {
  /** See task-days.ts. */
  task: Float64Array;
};
export type DayKind = keyof DayValues;

/** What is remembered of a range of days of a project. */
export interface RangeValues {
  task: ProjectTasks;
  /** Those of the days before another one. They change only with these days, not with each event. */
  taskBefore: TasksBefore;
  /** The most expensive runs that started in it; see runs.ts. */
  run: Float64Array;
  /** How many runs started in it. */
  runCount: number;
}
export type RangeKind = keyof RangeValues;

/** A task, which is an issue or a pull request without one, and its usage. */
export type TaskSum = UsageSums & { issue: number; pr: number };

/** The tasks of a project in a range of days. */
export interface ProjectTasks {
  /** Work that names no task is one of them. */
  count: number;
  unattributed: UsageSums;
  /** The most expensive first. */
  top: readonly TaskSum[];
}

export interface TasksBefore extends ProjectTasks {
  /** The issues of pull requests that they were summed with. */
  issues: ReadonlyMap<number, number | null>;
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

/** A year of a hundred projects by group, or the tasks of a month with a million events. */
const bytesMax = 20 * 2 ** 20;
const bytesOfDay = 100;
const bytesOfSum = 200;

const bytesOf = (value: DayValues[DayKind]): number =>
  bytesOfDay + (value instanceof Float64Array ? value.byteLength : value.length * bytesOfSum);

function bytesOfRange(value: RangeValues[RangeKind]): number {
  if (typeof value === "number") return bytesOfDay;
  if (value instanceof Float64Array) return bytesOfDay + value.byteLength;
  return bytesOfDay + (value.top.length + ("issues" in value ? value.issues.size : 0)) * bytesOfSum;
}

const bytesOfGroups = ({ size }: GroupDays["totals"]): number => bytesOfDay + size * bytesOfSum;

/** The days of several projects together, and the sums of ranges of them. */
interface RememberedGroups {
  days: Map<string, GroupDay>;
  totals: Map<string, GroupDays["totals"]>;
}

type Days<Kind extends DayKind> = ReadonlyMap<string, DayValues[Kind]>;
type StoredDays = Map<string, DayValues[DayKind]>;

export class DayCache {
  readonly #kinds = new Map<DayKind, Map<string, StoredDays>>();
  /** By project, and then by kind and range. */
  readonly #ranges = new Map<string, Map<string, RangeValues[RangeKind]>>();
  readonly #groups = new Map<string, RememberedGroups>();
  #bytes = 0;
  /** Another object whenever sums were dropped, which a read may have read before. */
  version: Readonly<Version> | null = null;

  /** The days of a project that are remembered. */
  daysOf<Kind extends DayKind>(kind: Kind, project: string): Days<Kind> | undefined {
    // safe because: `set` stored them by their kind
    return this.#kinds.get(kind)?.get(project) as Days<Kind> | undefined;
  }

  /** Remembers a day; an empty list if it has nothing. */
  set<Kind extends DayKind>(kind: Kind, { project, day }: ProjectDay, value: DayValues[Kind]): void {
    this.#add(bytesOf(value));
    const projects = this.#kinds.get(kind) ?? new Map<string, StoredDays>();
    this.#kinds.set(kind, projects);
    const days: StoredDays = projects.get(project) ?? new Map();
    projects.set(project, days);
    this.#forget(days, day);
    days.set(day, value);
  }

  rangeOf<Kind extends RangeKind>(kind: Kind, project: string, range: string): RangeValues[Kind] | undefined {
    // safe because: `setRange` stored it by its kind
    return this.#ranges.get(project)?.get(`${kind} ${range}`) as RangeValues[Kind] | undefined;
  }

  setRange<Kind extends RangeKind>(
    kind: Kind,
    project: string,
    range: string,
    value: RangeValues[Kind],
  ): void {
    this.#add(bytesOfRange(value));
    const ranges = this.#ranges.getOrInsertComputed(project, () => new Map());
    const name = `${kind} ${range}`;
    const before = ranges.get(name);
    if (before) this.#bytes -= bytesOfRange(before);
    ranges.set(name, value);
  }

  /** @param name of the group and the projects whose days they are */
  groupsOf(name: string): Readonly<RememberedGroups> | undefined {
    return this.#groups.get(name);
  }

  /** Remembers days of all of these projects, and their sum. */
  setGroups(name: string, range: string, { days, totals }: GroupDays): void {
    this.#add(bytesOfGroups(totals));
    const groups = this.#groups.getOrInsertComputed(name, () => ({ days: new Map(), totals: new Map() }));
    groups.totals.set(range, totals);
    for (const one of days) {
      if (groups.days.has(one.day)) continue;
      groups.days.set(one.day, one);
      this.#bytes += bytesOfGroups(one.sums);
    }
  }

  /**
   * Declares the sums to be those of a version. Of a project that changed, most ranges are dropped: a run
   * counts on the day on which it started, and an event may tell the issue of a pull request of any day.
   *
   * @param changed the days that differ in it; null for all
   */
  moveTo(version: Version, changed: readonly ProjectDay[] | null): void {
    this.version = version;
    if (!changed) this.#drop();
    for (const { project, day } of changed ?? []) {
      for (const groups of this.#groups.values()) this.#forgetGroups(groups, day);
      this.#forgetRanges(this.#ranges.get(project) ?? new Map(), day);
      for (const projects of this.#kinds.values()) this.#forget(projects.get(project) ?? new Map(), day);
    }
  }

  clear(): void {
    this.version = null;
    this.#drop();
  }

  /** Of a large log, the days take too much, and what follows from them is what is worth remembering. */
  #add(bytes: number): void {
    if (this.#bytes > bytesMax) this.#dropDays();
    if (this.#bytes > bytesMax) this.#drop();
    this.#bytes += bytes;
  }

  /** Drops the days of projects, and the sums that serve only with them. */
  #dropDays(): void {
    for (const projects of this.#kinds.values())
      for (const days of projects.values()) for (const value of days.values()) this.#bytes -= bytesOf(value);
    this.#kinds.clear();
    for (const ranges of this.#ranges.values())
      for (const [name, value] of ranges)
        if (name.startsWith("taskBefore ") && ranges.delete(name)) this.#bytes -= bytesOfRange(value);
  }

  #forget(days: StoredDays, day: string): void {
    const value = days.get(day);
    if (value && days.delete(day)) this.#bytes -= bytesOf(value);
  }

  #forgetRanges(ranges: Map<string, RangeValues[RangeKind]>, day: string): void {
    for (const [name, value] of ranges) {
      const [kind, from = "", end = ""] = name.split(" ");
      const isKept = kind === "taskBefore" && (day < from || day >= end);
      if (!isKept && ranges.delete(name)) this.#bytes -= bytesOfRange(value);
    }
  }

  #forgetGroups({ days, totals }: RememberedGroups, day: string): void {
    for (const [range, sums] of totals) {
      const [from = "", to = ""] = range.split(" ");
      if (from <= day && day <= to && totals.delete(range)) this.#bytes -= bytesOfGroups(sums);
    }
    const groups = days.get(day);
    if (groups && days.delete(day)) this.#bytes -= bytesOfGroups(groups.sums);
  }

  #drop(): void {
    this.#groups.clear();
    this.#kinds.clear();
    this.#ranges.clear();
    this.#bytes = 0;
  }
}
