/** Rebuilds the term indexes of recall and their vocabulary. */
import { and, asc, eq, gt, inArray } from "drizzle-orm";
import { type MemoryKind, searchableEventKinds } from "../../src/memory/schema.ts";
import type { DecisionRow, GuidanceRow, NewNote, PreferenceRow } from "../../src/rows.ts";
import { clearCaches, type Session } from "../engine/session.ts";
import { decisionDocuments } from "./decision-documents.ts";
import { clearIndexes, type Document, documentOf, indexRows } from "./term-index.ts";

const pageRows = 500;

/** Rebuilds all indexes; to be called in a transaction that holds the write lock. */
export async function rebuildRecallIndex(session: Session): Promise<void> {
  await clearIndexes(session);
  clearCaches(session);
  const { db, t } = session;
  const { decisions, preferences, notes, guidance, events } = t;
  const page = (
    table: typeof decisions | typeof preferences | typeof notes | typeof guidance,
    after: number,
  ) => db.select().from(table).where(gt(table.id, after)).orderBy(asc(table.id)).limit(pageRows);
  // Safe: these are the rows of that table.
  const pagesOf =
    <Row>(table: Parameters<typeof page>[0]) =>
    (after: number) =>
      page(table, after) as unknown as Promise<Row[]>;
  await indexPages(session, "decision", pagesOf<DecisionRow>(decisions), (rows) =>
    decisionDocuments(session, rows),
  );
  await indexPages(session, "preference", pagesOf<PreferenceRow>(preferences), (rows) =>
    rows.map(documentOf.preference),
  );
  await indexPages(session, "note", pagesOf<NewNote & { id: number }>(notes), (rows) =>
    rows.map(documentOf.note),
  );
  await indexPages(session, "guidance", pagesOf<GuidanceRow>(guidance), (rows) =>
    rows.map(documentOf.guidance),
  );
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

/** Indexes the rows of a kind page by page, by id. */
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

/** The setting by which migration 0013 marks a database whose indexes have no audiences yet. */
export const outdatedIndex = "recall_index";

/**
 * Rebuilds indexes that a migration marked as outdated.
 * @returns whether a rebuild was necessary
 */
export async function rebuildOutdated(session: Session): Promise<boolean> {
  const { settings } = session.t;
  const markers = await session.db
    .delete(settings)
    .where(eq(settings.name, outdatedIndex))
    .returning({ name: settings.name });
  if (markers.length > 0) await rebuildRecallIndex(session);
  return markers.length > 0;
}
