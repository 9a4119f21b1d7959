/** What a process remembers of projects until they change; see follow-feed.ts. */

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
