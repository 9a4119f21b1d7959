/** The table of annotations. */

import type { Weight } from "../../src/files/probe/marks/schema.ts";
import type { Origin, State } from "../../src/library/annotations/schema.ts";
import type { ColumnKit } from "./columns.ts";

export const defineAnnotationTables = ({ table, int, text }: ColumnKit) => ({
  /** Annotations and their replies, which have the number of their thread. */
  annotations: table("annotations", {
    id: text().primaryKey(),
    project: text().notNull(),
    /** Id of the asset's first version. */
    chain: text().notNull(),
    asset_id: text().notNull(),
    version: int().notNull(),
    sha256: text().notNull(),
    n: int().notNull(),
    parent_id: text(),
    body: text().notNull(),
    weight: text().$type<Weight>().notNull(),
    /** See `rankOf`. */
    rank: int().notNull(),
    by: text().notNull(),
    /** Who may see it while it is a draft. */
    reader: text().notNull(),
    origin: text().$type<Origin>().notNull(),
    created_at: int().notNull(),
    state: text().$type<State>().notNull(),
    state_by: text(),
    state_at: int(),
    addressed_in: text(),
    reopened: int().notNull(),
    honoured_version: int(),
    urgent_at: int(),
    /** JSON text of a `Target`. */
    target: text(),
  }),
});
