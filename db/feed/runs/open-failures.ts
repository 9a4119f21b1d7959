/**
 * Failures that a process found open. Only an event of its project repairs a failure, so one is looked up
 * again after the next: an inbox has hundreds, and the count on every page needs all of them (`bun run bench
 * page-times`).
 */
import type { Micros } from "../../../src/core/lib/time.ts";

/** The head of the feed that the failures are of. */
export interface Version {
  /** The newest event. */
  id: number;
  /** Changes when rows are rewritten. */
  budgets: number;
}

/** Many inboxes of 600. */
const failuresMax = 10_000;

export class OpenFailures {
  readonly #projects = new Map<Micros, string | null>();
  /** Another object whenever failures were dropped, which a read may have read before. */
  version: Readonly<Version> | null = null;

  has(failure: Micros): boolean {
    return this.#projects.has(failure);
  }

  add(failure: Micros, project: string | null): void {
    if (this.#projects.size >= failuresMax) this.#projects.clear();
    this.#projects.set(failure, project);
  }

  /** @param changed the projects that have events since the version before; null for all */
  moveTo(version: Version, changed: ReadonlySet<string> | null): void {
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
