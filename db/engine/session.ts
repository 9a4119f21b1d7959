import { boundedByCount, Cache } from "../../src/core/lib/cache.ts";
import type { BudgetRow, RunOutline } from "../../src/feed/rows.ts";
import type { EventRow } from "../../src/feed/schema.ts";
import type { Client } from "../dialect/client.ts";
import type { Dialect } from "../dialect/dialect.ts";
import { ProjectValues } from "../feed/project-memory.ts";
import { RunCache } from "../feed/runs/run-cache.ts";
import { DayCache, type ProjectDay } from "../feed/usage/day-cache.ts";
import { RejectedCache } from "../overview/usage/rejected-cache.ts";
import type { Tables } from "../schema/sqlite-tables.ts";

/** A cached search result: the newest events that contain all words of a query. */
export interface CachedIntersection {
  /** Event ids, newest first; absent when the index finds them quickly without the cache. */
  ids?: number[];
  /** The result covers events up to this id. */
  until: number;
}

/**
 * What a process caches about its database. Every entry stays true under appends by other processes; a
 * rollback or a rebuild invalidates all of it (`clearCaches`).
 */
export interface SessionCaches {
  /** Words already in the vocabulary table, with their audience: an append does not insert them again. */
  knownForms: Cache<string, true>;
  /** Languages already in the table of text languages. */
  knownLanguages: Cache<string, true>;
  /** Ids of rows in `facets`, by their column values. */
  facetIds: Cache<string, number>;
  /**
   * Lower bounds on the number of events that match a term, by the text of the match. Events are never
   * deleted, so a frequent term stays frequent.
   */
  frequentMatches: Cache<string, number>;
  /** The budgets by their version; see db/feed/budgets/record.ts. */
  budgets: Cache<number, BudgetRow[]>;
  /** Events that this process appended, by id, until the rows that they leave for later are derived. */
  pendingEvents: Cache<number, EventRow>;
  /** Slugs of projects that exist: none is ever deleted. */
  linkedProjects: Cache<string, true>;
  /** Runs that recent appends changed. It tells by the head of the feed whether they are current. */
  runs: RunCache;
  /**
   * Failures that a process found open, by their `ts`. Only an event of its project repairs one: an inbox has
   * hundreds, and the count on every page needs all of them (`bun run bench page-times`).
   */
  openFailures: ProjectValues<true>;
  /** Outlines of runs by their place in lists: an inbox lists hundreds, few of which changed (`page-times`). */
  outlines: ProjectValues<RunOutline>;
  /** Rejected versions. It tells by the head of the feed which are current. */
  rejected: RejectedCache;
  /** Projects and days of the events between two heads of the feed. */
  changedDays: Cache<string, ProjectDay[]>;
  /** Whether the last append of this process was of several clients, after one of another process. */
  appends: { isCrowded: boolean };
  /** Usage by day. It tells by the head of the feed which days changed: see db/feed/usage/remembered-days.ts. */
  daySums: DayCache;
  /** The version at which rows were rewritten last, as far as this process knows; see `dropRewritten`. */
  rewritten: { version: number | null };
  /** Results of searches for several words that rarely occur together. */
  intersections: Cache<string, CachedIntersection>;
  /** The years that have a partition; see db/feed/partitions.ts. */
  knownYears: Set<number>;
}

/** Where queries run: a connection of either dialect, or a transaction on one. */
export interface Session extends SessionCaches {
  db: Client;
  t: Tables;
  dialect: Dialect;
  /** Whether it stands for the pool of Postgres: each statement takes a trip, on any connection. */
  isPooled?: boolean;
}

const MiB = 2 ** 20;

/**
 * The caches of a process that has not read anything yet. All are bounded, as a client may send new actors
 * and search for new words forever. An intersection takes some tens of kilobytes at most, and expires because
 * another process may have repaired the index meanwhile. Fewer than 2,000 events are pending, which is half a
 * cache: reading them one after the other must not evict those that follow.
 */
export const emptyCaches = (): SessionCaches => ({
  knownForms: new Cache({ max: 200_000, bytesMax: 32 * MiB }),
  knownLanguages: new Cache({ max: 100 }),
  facetIds: new Cache({ max: 50_000 }),
  frequentMatches: new Cache({ max: 10_000 }),
  budgets: new Cache({ max: 2, bytesOf: boundedByCount }),
  pendingEvents: new Cache({ max: 4_000, bytesOf: boundedByCount }),
  linkedProjects: new Cache({ max: 10_000 }),
  runs: new RunCache(),
  openFailures: new ProjectValues(10_000),
  outlines: new ProjectValues(5_000),
  rejected: new RejectedCache(),
  changedDays: new Cache({ max: 4, bytesOf: boundedByCount }),
  appends: { isCrowded: false },
  daySums: new DayCache(),
  rewritten: { version: null },
  intersections: new Cache({
    max: 500,
    maxAgeMs: 600_000,
    bytesMax: 32 * MiB,
    bytesOf: ({ ids = [] }) => 8 * ids.length,
  }),
  knownYears: new Set(),
});

/** Clears the caches after a rollback or a rebuild, when an entry may name rows that no longer exist. */
export function clearCaches(session: SessionCaches): void {
  session.knownForms.clear();
  session.knownLanguages.clear();
  session.facetIds.clear();
  session.frequentMatches.clear();
  session.budgets.clear();
  session.pendingEvents.clear();
  session.linkedProjects.clear();
  session.runs.clear();
  session.openFailures.clear();
  session.outlines.clear();
  session.rejected.clear();
  session.changedDays.clear();
  session.daySums.clear();
  session.intersections.clear();
  session.knownYears.clear();
}

/**
 * Clears the caches if a process rewrote rows since the last call: a cached id or word may be gone.
 * @param version of the head of the feed, which changes with that @returns whether it did
 */
export function dropRewritten(session: SessionCaches, version: number): boolean {
  const { rewritten } = session;
  const isOutdated = rewritten.version !== null && rewritten.version !== version;
  rewritten.version = version;
  if (isOutdated) clearCaches(session);
  return isOutdated;
}
