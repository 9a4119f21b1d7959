/** The tables of facets, which find pages of the feed with several filters; see db/feed/facets.ts. */
import type { EventKind } from "../../src/feed/schema.ts";
import type { ColumnKit } from "./columns.ts";

export const defineFacetTables = ({ table, serial, int, text }: ColumnKit) => ({
  /** Distinct combinations of project, kind, actor, and lane; "" for an event without project or lane. */
  facets: table("facets", {
    id: serial(),
    project: text().notNull(),
    kind: text().$type<EventKind>().notNull(),
    actor: text().notNull(),
    lane: text().notNull(),
  }),
  /** The posting list of each facet: the `ts` of its events. */
  facet_events: table("facet_events", { facet: int().notNull(), ts: int().notNull() }),
});
