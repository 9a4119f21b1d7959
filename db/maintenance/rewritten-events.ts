/** Derives again what comes from rewritten events: their runs, and their places in facets. */
import { and, eq, inArray, notExists, sql } from "drizzle-orm";
import type { AffectedRow, ExportedRow } from "../../src/core/maintenance.ts";
import { facetFilters } from "../../src/feed/filters.ts";
import type { EventRow } from "../../src/feed/schema.ts";
import type { Session } from "../engine/session.ts";
import { indexInFacets } from "../feed/facets.ts";
import { deriveAround, derivePipelines } from "../feed/runs/derive.ts";
import { eventOf } from "./rewritten-documents.ts";

export async function deriveRewritten(session: Session, page: readonly AffectedRow[]): Promise<void> {
  const before = page.map(({ row }) => toEvent(row));
  const after = page.flatMap(({ changed }) => (changed ? toEvent(changed) : []));
  const places = new Map(after.map((event) => [event.ts, event]));
  const moved = before.filter((event) =>
    facetFilters.some((name) => places.get(event.ts)?.[name] !== event[name]),
  );
  await leaveFacets(session, moved);
  session.facetIds.clear();
  await indexInFacets(
    session,
    moved.flatMap(({ ts }) => places.get(ts) ?? []),
  );
  const ofProjects = after.filter(({ project }) => project !== null);
  await derivePipelines(
    session,
    ofProjects.filter(({ run_id }) => run_id !== null),
  );
  await deriveAround(
    session,
    ofProjects.filter(({ run_id }) => run_id === null),
  );
}

const toEvent = (row: ExportedRow): EventRow => ({ ...eventOf(row), actor: row.actor as string });

/** Removes events from the lists of their facets, and the facets that have no events then. */
async function leaveFacets({ db, t }: Session, events: readonly EventRow[]): Promise<void> {
  const { facets, facet_events } = t;
  for (const [actor, own] of Map.groupBy(events, (event) => event.actor)) {
    const ofActor = db.select({ id: facets.id }).from(facets).where(eq(facets.actor, actor));
    const times = own.map(({ ts }) => ts);
    await db
      .delete(facet_events)
      .where(and(inArray(facet_events.ts, times), inArray(facet_events.facet, ofActor)));
    const listed = db.select({ one: sql`1` }).from(facet_events).where(eq(facet_events.facet, facets.id));
    await db.delete(facets).where(and(eq(facets.actor, actor), notExists(listed)));
  }
}
