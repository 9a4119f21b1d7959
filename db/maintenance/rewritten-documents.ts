/** Makes recall forget the words of rewritten rows: their documents, and the vocabulary. */
import { eq, inArray, sql } from "drizzle-orm";
import { perObject } from "../../src/core/lib/cache.ts";
import type { AffectedRow, ExportedRow } from "../../src/core/maintenance.ts";
import { type Word, wordsOf } from "../../src/core/text/tokenizer.ts";
import { readEvent } from "../../src/feed/render-event.ts";
import type { DecisionRow, NewNote, PreferenceRow } from "../../src/memory/rows.ts";
import { type MemoryKind, memoryKinds } from "../../src/memory/schema.ts";
import { reviewSource } from "../../src/memory/set-ref.ts";
import type { Session } from "../engine/session.ts";
import { decisionDocuments } from "../memory/recall/decision-documents.ts";
import { matchCondition, matchExpression } from "../memory/recall/match.ts";
import { isSearchable } from "../memory/recall/searchable-events.ts";
import { type Document, documentOf, indexOf, removeRows, replaceRows } from "../memory/recall/term-index.ts";
import { allRows, elements } from "../query/statements.ts";

const kinds: Record<string, MemoryKind> = {
  events: "event",
  decisions: "decision",
  preferences: "preference",
  notes: "note",
};

/**
 * Indexes rows of one table again, and forgets the words that no text has any more.
 * @param isProjectGone then `forgetAudience` forgets all words of the project at once
 */
export async function reindexRewritten(
  session: Session,
  rows: readonly AffectedRow[],
  isProjectGone: boolean,
): Promise<void> {
  const table = rows[0]?.table as string;
  if (table === "assets" && !isProjectGone) return reindexReviewed(session, rows);
  const kind = kinds[table];
  if (!kind) return;
  const remaining = rows.flatMap(({ changed }): ExportedRow[] => (changed ? [changed] : []));
  const gone = rows.filter(({ changed }) => changed === null).map(({ row }) => row.id as number);
  const before = await documentsOf(
    session,
    kind,
    rows.map(({ row }) => row),
  );
  const after = await documentsOf(session, kind, remaining);
  await removeRows(session, kind, gone);
  await replaceRows(session, kind, after);
  if (!isProjectGone) await forgetWords(session, before, after);
}

/** Deletes the words of a project that is gone, and those that no other text has. */
export async function forgetAudience(session: Session, project: string): Promise<void> {
  const { db, t } = session;
  const { project_words: own } = t;
  const rows = await db.select({ form: own.form }).from(own).where(eq(own.project, project));
  await db.delete(own).where(eq(own.project, project));
  await forgetForms(
    session,
    rows.map(({ form }) => form),
  );
}

/** The event of a row: its text is read once, for all that is derived from it. */
export const eventOf = perObject((row: ExportedRow) => readEvent(row as { ts: number; wire: string }));

async function documentsOf(session: Session, kind: MemoryKind, rows: ExportedRow[]): Promise<Document[]> {
  // safe because: these are rows of the table of that kind
  if (kind === "event")
    return rows
      .map((row) => eventOf(row))
      .filter(isSearchable)
      .map(documentOf.event);
  if (kind === "decision") return decisionDocuments(session, rows as unknown as DecisionRow[]);
  if (kind === "note") return (rows as unknown as (NewNote & { id: number })[]).map(documentOf.note);
  return (rows as unknown as PreferenceRow[]).map(documentOf.preference);
}

/** The documents of decisions have the titles of their assets. */
async function reindexReviewed(session: Session, rows: readonly AffectedRow[]): Promise<void> {
  const { decisions } = session.t;
  const ids = rows.map(({ row }) => row.id as string);
  const found = await session.db.select().from(decisions).where(inArray(decisions.source_ref, ids));
  const ofReviews = found.filter(({ source }) => source === reviewSource);
  await replaceRows(session, "decision", await decisionDocuments(session, ofReviews));
  const titles = (one: ExportedRow | null): string => `${one?.title} ${one?.description} ${one?.tags}`;
  const textOf = (text: string): Pick<Document, "head" | "body"> => ({ head: "", body: text });
  await forgetWords(
    session,
    rows.map(({ row }) => textOf(titles(row))),
    rows.map(({ changed }) => textOf(titles(changed))),
  );
}

/** Deletes words from the vocabulary that were in these documents, and are in no document now. */
async function forgetWords(
  session: Session,
  before: readonly Pick<Document, "head" | "body">[],
  after: readonly Pick<Document, "head" | "body">[],
): Promise<void> {
  const known = formsOf(after);
  await forgetForms(
    session,
    [...formsOf(before)].filter((form) => !known.has(form)),
  );
}

async function forgetForms(session: Session, forms: readonly string[]): Promise<void> {
  const unused: string[] = [];
  for (const form of forms) if (!(await isIndexed(session, form))) unused.push(form);
  if (unused.length === 0) return;
  for (const table of ["words", "word_grams", "project_words"])
    await allRows(
      session,
      sql`delete from ${sql.identifier(table)} where form in
        (select value from ${elements(session.dialect, unused)})`,
    );
}

const formsOf = (documents: readonly Pick<Document, "head" | "body">[]): Set<string> =>
  new Set(documents.flatMap(({ head, body }) => wordsOf(`${head} ${body}`).flatMap(({ forms }) => forms)));

async function isIndexed(session: Session, form: string): Promise<boolean> {
  const [word] = wordsOf(form) as [Word?];
  if (!word) return true;
  const expression = sql`${matchExpression({ term: word.term }, session.dialect)}`;
  for (const kind of memoryKinds) {
    const isFound = matchCondition(session, kind, expression);
    const rows = await allRows(session, sql`select 1 from ${indexOf(kind)} where ${isFound} limit 1`);
    if (rows.length > 0) return true;
  }
  return false;
}
