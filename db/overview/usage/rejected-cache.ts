/**
 * Rejected versions of ranges of days by project, until there is an event of the project: a report has
 * hundreds, and their runs are half of what a page of usage costs Postgres (`bun run bench page-times`).
 */
import type { RejectedVersion } from "../../../src/overview/rows.ts";
import type { FeedVersion, ProjectMemory } from "../../feed/project-memory.ts";

/** Of a year of a large deployment, in about 20 MB. */
const versionsMax = 30_000;

export class RejectedCache implements ProjectMemory {
  readonly #projects = new Map<string, Map<string, readonly RejectedVersion[]>>();
  /** Versions and lists of them. */
  #count = 0;
  version: Readonly<FeedVersion> | null = null;

  get(project: string, range: string): readonly RejectedVersion[] | undefined {
    return this.#projects.get(project)?.get(range);
  }

  set(project: string, range: string, versions: readonly RejectedVersion[]): void {
    if (this.#count > versionsMax) this.#drop();
    const ranges = this.#projects.getOrInsertComputed(project, () => new Map());
    this.#count += 1 + versions.length - countOf(ranges.get(range));
    ranges.set(range, versions);
  }

  moveTo(version: FeedVersion, changed: ReadonlySet<string> | null): void {
    this.version = version;
    if (!changed) this.#drop();
    for (const project of changed ?? []) {
      for (const versions of this.#projects.get(project)?.values() ?? []) this.#count -= countOf(versions);
      this.#projects.delete(project);
    }
  }

  clear(): void {
    this.version = null;
    this.#drop();
  }

  #drop(): void {
    this.#projects.clear();
    this.#count = 0;
  }
}

const countOf = (versions: readonly RejectedVersion[] | undefined): number =>
  versions ? 1 + versions.length : 0;
