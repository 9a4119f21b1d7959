/** A page of the feed in one text, and the feed notifier, as readers of the live feed use it. */
import type { Micros } from "../core/lib/time.ts";
import type { Projects, RenderedEvent } from "../core/rows.ts";
import type { FeedFilter } from "./filters.ts";

/** The number of events that a live reader gets at a time, at most. */
export const streamBatchMax = 100;

export interface FeedNotifier {
  /**
   * Increases with every append. A reader notes it before it reads, so it misses nothing appended meanwhile.
   */
  readonly version: number;
  readonly closed: boolean;
  /**
   * Resolves when `version` is no longer current, when the notifier closes, or after `recheckMs`. All readers
   * that wait share one promise and one timer.
   */
  waitForChange(version: number): Promise<void>;
  /**
   * Returns a reader of new events, oldest first. Readers with the same projects, filter and position
   * share one query per version. An append during that query raises the version, so they read again.
   */
  sharedReader(
    projects: Projects,
    filter: FeedFilter,
  ): (after: Micros, limit: number) => Promise<RenderedEvent[]>;
  close(): void;
}

/** A page of events in one text. */
export interface JoinedEvents {
  /** Their JSON texts, joined by commas; in UTF-8 if the database gives bytes. */
  wires: string | Uint8Array<ArrayBuffer>;
  count: number;
  /** `ts` of the last event of the page; null without events. */
  last: Micros | null;
  /** Further events follow the last one. */
  hasMore: boolean;
}
