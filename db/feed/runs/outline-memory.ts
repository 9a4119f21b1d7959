/**
 * Outlines of runs by their place in lists, until there is an event of their project: an inbox lists hundreds
 * of runs, few of which changed since the one before (`bun run bench page-times`).
 */
import type { Micros } from "../../../src/core/lib/time.ts";
import type { RunOutline } from "../../../src/feed/rows.ts";
import type { FeedVersion, ProjectMemory } from "../project-memory.ts";

/** Many inboxes of 500, in a few megabytes. */
const outlinesMax = 5_000;

export class OutlineMemory implements ProjectMemory {
  readonly #outlines = new Map<Micros, RunOutline>();
  version: Readonly<FeedVersion> | null = null;

  get(place: Micros): RunOutline | undefined {
    return this.#outlines.get(place);
  }

  set(outline: RunOutline): void {
    if (this.#outlines.size >= outlinesMax) this.#outlines.clear();
    this.#outlines.set(outline.listed_at, outline);
  }

  moveTo(version: FeedVersion, changed: ReadonlySet<string> | null): void {
    this.version = version;
    if (!changed) this.#outlines.clear();
    else
      for (const [place, { project }] of this.#outlines)
        if (changed.has(project)) this.#outlines.delete(place);
  }

  clear(): void {
    this.version = null;
    this.#outlines.clear();
  }
}
