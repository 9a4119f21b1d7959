/** The table of how files were made. */
import type { ColumnKit } from "./columns.ts";

export const defineProvenanceTables = ({ table, text }: ColumnKit) => ({
  /** A row for each asset of which something is known. */
  provenance: table("provenance", {
    asset: text().primaryKey(),
    project: text().notNull(),
    /** JSON text: a list of `Provenance`. */
    stated: text().notNull(),
  }),
});
