import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { Audience } from "../recall/audience.ts";
import type { Met } from "../recall/intersections.ts";
import type { Tables } from "../schema/tables.ts";

/** A place to run queries: a connection of either dialect, or a transaction on one. */
export interface Session {
  db: BunSQLiteDatabase;
  t: Tables;
  /** Only these few statements differ by dialect. */
  dialect: "sqlite" | "postgres";
  /** Words that the vocabulary of this database surely has, by audience. */
  known: Map<Audience, Set<string>>;
  /** Ids of facets that this database surely has. */
  facets: Map<string, number>;
  /**
   * Texts of matches that so many events have, or more: none is ever taken away, so what is frequent stays
   * so.
   */
  many: Map<string, number>;
  /** What several words that hardly ever meet are known to have met in. */
  met: Map<string, Met>;
}

/** A process knows nothing of its database yet. */
export const nothingLearnt = (): Pick<Session, "known" | "facets" | "many" | "met"> => ({
  known: new Map(),
  facets: new Map(),
  many: new Map(),
  met: new Map(),
});

/** What was learnt of the database may not hold any more. */
export function forget({ known, facets, many, met }: Session): void {
  for (const learnt of [known, facets, many, met]) learnt.clear();
}
