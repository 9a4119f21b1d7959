/** Rebuilds what recall finds rows by: the indexes of terms, and their vocabulary. */
import { and, asc, eq, gt, inArray } from "drizzle-orm";
import { type MemoryKind, searchableEventKinds } from "../../src/memory/schema.ts";
import type { DecisionRow, GuidanceRow, NewNote, PreferenceRow } from "../../src/rows.ts";
import { clearCaches, type Session } from "../engine/session.ts";
import { decisionDocuments } from "./decision-documents.ts";
import { clearIndexes, type Document, documentOf, indexRows } from "./term-index.ts";

const pageRows = 500;

/** Inside of a transaction under the lock of all writers. */
export async function rebuildRecallIndex(session: Session): Promise<void> {
  await clearIndexes(session);
  clearCaches(session);
  const { db, t } = session;
  const { decisions, preferences, notes, guidance, events } = t;
  const page = (
    table: typeof decisions | typeof preferences | typeof notes | typeof guidance,
    after: number,
  ) => db.select().from(table).where(gt(table.id, after)).orderBy(asc(table.id)).limit(pageRows);
  // safe because: these are the rows of that table
  const of =
    <Row>(table: Parameters<typeof page>[0]) =>
    (after: number) =>
      page(table, after) as unknown as Promise<Row[]>;
  await indexPages(session, "decision", of<DecisionRow>(decisions), (rows) =>
    decisionDocuments(session, rows),
  );
  await indexPages(session, "preference", of<PreferenceRow>(preferences), (rows) =>
    rows.map(documentOf.preference),
  );
  await indexPages(session, "note", of<NewNote & { id: number }>(notes), (rows) => rows.map(documentOf.note));
  await indexPages(session, "guidance", of<GuidanceRow>(guidance), (rows) => rows.map(documentOf.guidance));
  const { id, project, summary, kind } = events;
  const recalled = (after: number) =>
    db
      .select({ id, project, summary })
      .from(events)
      .where(and(gt(id, after), inArray(kind, [...searchableEventKinds])))
      .orderBy(asc(id))
      .limit(pageRows);
  await indexPages(session, "event", recalled, (rows) => rows.map(documentOf.event));
}

/** By id, page by page. */
async function indexPages<Row extends { id: number }>(
  session: Session,
  kind: MemoryKind,
  read: (after: number) => Promise<Row[]>,
  documentsOf: (rows: Row[]) => Document[] | Promise<Document[]>,
): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await read(after);
    await indexRows(session, kind, await documentsOf(rows));
    const last = rows.at(-1);
    if (!last || rows.length < pageRows) return;
    after = last.id;
  }
}

/** The migration 0013 leaves it in `settings` of a database whose indexes do not know audiences yet. */
export const outdatedIndex = "recall_index";

/** @returns whether there was anything to do */
export async function rebuildOutdated(session: Session): Promise<boolean> {
  const { settings } = session.t;
  const marks = await session.db
    .delete(settings)
    .where(eq(settings.name, outdatedIndex))
    .returning({ name: settings.name });
  if (marks.length > 0) await rebuildRecallIndex(session);
  return marks.length > 0;
}
