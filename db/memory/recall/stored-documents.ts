/** Reads the documents of stored rows, to index them again. */
import { and, asc, gte, lt } from "drizzle-orm";
import { readEvent } from "../../../src/feed/render-event.ts";
import type { DecisionRow, GuidanceRow, NewNote, PreferenceRow } from "../../../src/memory/rows.ts";
import type { MemoryKind } from "../../../src/memory/schema.ts";
import type { Session } from "../../engine/session.ts";
import { decisionDocuments } from "./decision-documents.ts";
import { searchableEvents } from "./searchable-events.ts";
import { type Document, documentOf } from "./term-index.ts";

/** Ids from `from` to before `to`, at most `limit` of them, the smallest first. */
export interface IdRange {
  from: number;
  to: number;
  limit: number;
}

/** For each kind, reads the documents of a range of ids, sorted by id. */
export const readDocuments: Record<MemoryKind, (session: Session, range: IdRange) => Promise<Document[]>> = {
  decision: async (session, range) =>
    decisionDocuments(session, await rowsIn<DecisionRow>(session, "decisions", range)),
  preference: async (session, range) =>
    (await rowsIn<PreferenceRow>(session, "preferences", range)).map(documentOf.preference),
  note: async (session, range) =>
    (await rowsIn<NewNote & { id: number }>(session, "notes", range)).map(documentOf.note),
  guidance: async (session, range) =>
    (await rowsIn<GuidanceRow>(session, "guidance", range)).map(documentOf.guidance),
  async event(session, { from, to, limit }) {
    const { events } = session.t;
    const { id, ts, wire } = events;
    const rows = await session.db
      .select({ ts, wire })
      .from(events)
      .where(and(gte(id, from), lt(id, to), searchableEvents(session)))
      .orderBy(asc(id))
      .limit(limit);
    return rows.map(readEvent).map(documentOf.event);
  },
};

async function rowsIn<Row>(
  { db, t }: Session,
  name: "decisions" | "preferences" | "notes" | "guidance",
  { from, to, limit }: IdRange,
): Promise<Row[]> {
  const { id } = t[name];
  const rows = await db
    .select()
    .from(t[name])
    .where(and(gte(id, from), lt(id, to)))
    .orderBy(asc(id))
    .limit(limit);
  // Safe: these are the rows of that table.
  return rows as unknown as Row[];
}
