/**
 * Failures that a process found open. Only an event of its project repairs a failure, so one is looked up
 * again after the next: an inbox has hundreds, and the count on every page needs all of them (`bun run bench
 * page-times`).
 */
import type { Micros } from "../../../src/core/lib/time.ts";
import type { FeedVersion, ProjectMemory } from "../project-memory.ts";

/** Many inboxes of 600. */
const failuresMax = 10_000;

export class OpenFailures implements ProjectMemory {
  readonly #projects = new Map<Micros, string | null>();
  version: Readonly<FeedVersion> | null = null;

  has(failure: Micros): boolean {
    return this.#projects.has(failure);
  }

  add(failure: Micros, project: string | null): void {
    if (this.#projects.size >= failuresMax) this.#projects.clear();
    this.#projects.set(failure, project);
  }

  moveTo(version: FeedVersion, changed: ReadonlySet<string> | null): void {
    this.version = version;
    if (!changed) this.#projects.clear();
    else
      for (const [failure, project] of this.#projects)
        if (project !== null && changed.has(project)) this.#projects.delete(failure);
  }

  clear(): void {
    this.version = null;
    this.#projects.clear();
  }
}
