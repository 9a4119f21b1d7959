import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { Audience } from "../recall/audience.ts";
import type { Intersection } from "../recall/intersections.ts";
import type { Tables } from "../schema/tables.ts";

/** A place to run queries: a connection of either dialect, or a transaction on one. */
export interface Session {
  db: BunSQLiteDatabase;
  t: Tables;
  /** Only these few statements differ by dialect. */
  dialect: "sqlite" | "postgres";
  /** Words that are in the vocabulary of this database, by audience. */
  knownForms: Map<Audience, Set<string>>;
  /** Ids of facets that are in this database. */
  facetIds: Map<string, number>;
  /**
   * Matches that at least this many events have. Events are never deleted, so a frequent match stays
   * frequent.
   */
  frequentMatches: Map<string, number>;
  /** Events that have all of several frequent words, by match: see db/recall/intersections.ts. */
  intersections: Map<string, Intersection>;
}

/** A process knows nothing of its database yet. */
export const nothingLearnt = (): Pick<
  Session,
  "knownForms" | "facetIds" | "frequentMatches" | "intersections"
> => ({
  knownForms: new Map(),
  facetIds: new Map(),
  frequentMatches: new Map(),
  intersections: new Map(),
});

/** What was learnt of the database may not hold any more. */
export function forget({ knownForms, facetIds, frequentMatches, intersections }: Session): void {
  for (const cache of [knownForms, facetIds, frequentMatches, intersections]) cache.clear();
}
