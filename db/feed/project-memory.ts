/** What a process remembers of projects until they change; see follow-feed.ts. */
import type { Micros } from "../../src/core/lib/time.ts";

/** The head of the feed that something is of. */
export interface FeedVersion {
  /** The newest event. */
  id: number;
  /** Changes when rows are rewritten. */
  budgets: number;
}

export interface ProjectMemory {
  /** Another object whenever something was dropped, which a read may have read before. */
  readonly version: Readonly<FeedVersion> | null;
  /** @param changed the projects that have events since the version before; null for all */
  moveTo(version: FeedVersion, changed: ReadonlySet<string> | null): void;
}

/** Values of projects by the time of an event, all of which are dropped once there are `max`. */
export class ProjectValues<V> implements ProjectMemory {
  readonly #entries = new Map<Micros, { project: string | null; value: V }>();
  version: Readonly<FeedVersion> | null = null;

  constructor(readonly max: number) {}

  get(ts: Micros): V | undefined {
    return this.#entries.get(ts)?.value;
  }

  set(ts: Micros, project: string | null, value: V): void {
    if (this.#entries.size >= this.max) this.#entries.clear();
    this.#entries.set(ts, { project, value });
  }

  moveTo(version: FeedVersion, changed: ReadonlySet<string> | null): void {
    this.version = version;
    if (!changed) this.#entries.clear();
    else
      for (const [ts, { project }] of this.#entries)
        if (project !== null && changed.has(project)) this.#entries.delete(ts);
  }

  clear(): void {
    this.version = null;
    this.#entries.clear();
  }
}
