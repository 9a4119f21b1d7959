import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { Tables } from "./tables.ts";

/** A place to run queries: a connection of either dialect, or a transaction on one. */
export interface Session {
  db: BunSQLiteDatabase;
  t: Tables;
  /** Only these few statements differ by dialect. */
  dialect: "sqlite" | "postgres";
  /** Words that the vocabulary of this database surely has. */
  known: Set<string>;
  /** Ids of facets that this database surely has. */
  facets: Map<string, number>;
  /** Texts of matches that so many events have, or more: none is ever taken away, so what is frequent stays so. */
  many: Map<string, number>;
}

/** A process knows nothing of its database yet. */
export const nothingLearnt = (): Pick<Session, "known" | "facets" | "many"> => ({ known: new Set(), facets: new Map(), many: new Map() });

/** What was learnt of the database may not hold any more. */
export function forget({ known, facets, many }: Session): void {
  known.clear();
  facets.clear();
  many.clear();
}
