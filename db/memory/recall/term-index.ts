/**
 * The term indexes behind recall, one for each kind of row: FTS5 on SQLite, tsvector on Postgres, with the
 * same terms in the same order. They are written in the transaction of their rows.
 */
import { sql } from "drizzle-orm";
import { analyzeText, languageTermsOf } from "../../../src/core/text/language-terms.ts";
import type { Language } from "../../../src/core/text/languages.ts";
import { indexedTerms, type Word } from "../../../src/core/text/tokenizer.ts";
import type { EventRow } from "../../../src/feed/schema.ts";
import type { GuidanceRow, NewNote, PreferenceRow } from "../../../src/memory/rows.ts";
import { type MemoryKind, memoryKinds, openingKinds, openingTerm } from "../../../src/memory/schema.ts";
import type { IndexedDocument } from "../../dialect/full-text.ts";
import type { Session } from "../../engine/session.ts";
import { allRows, elements, preparedStatement } from "../../query/statements.ts";
import { type Audience, audienceTerms, everyone } from "./audience.ts";
import { addTextLanguages, clearTextLanguages } from "./text-languages.ts";
import { addToVocabulary, clearVocabulary, type DocumentWords } from "./vocabulary.ts";

export interface Document {
  id: number;
  /** The heading, whose words weigh more than those of the body. */
  head: string;
  body: string;
  audience: Audience;
  /** Whether it is an event that opens a task, which searches of tasks read alone. */
  isOpening?: boolean;
}

/**
 * Builds the document of a row. Decisions are missing here because those of reviews need their asset: see
 * decision-documents.ts.
 */
export const documentOf = {
  preference: (row: Pick<PreferenceRow, "id" | "project" | "key" | "value">): Document => ({
    id: row.id,
    head: row.key,
    body: row.value,
    audience: row.project ?? everyone,
  }),
  note: (row: Pick<NewNote, "project" | "title" | "text"> & { id: number }): Document => ({
    id: row.id,
    head: row.title,
    body: row.text,
    audience: row.project,
  }),
  guidance: ({ id, path, text }: Pick<GuidanceRow, "id" | "path" | "text">): Document => ({
    id,
    head: path.join(" "),
    body: text,
    audience: everyone,
  }),
  event: (row: Pick<EventRow, "id" | "project" | "summary" | "kind">): Document => ({
    id: row.id,
    head: "",
    body: row.summary,
    audience: row.project,
    isOpening: openingKinds.has(row.kind),
  }),
};

/** The only kind with millions of rows. */
export const largestKind: MemoryKind = "event";

/** The name of the table that holds the terms of a kind. */
export const indexName = (kind: MemoryKind): string => `${kind}_terms`;
export const indexOf = (kind: MemoryKind) => sql.identifier(indexName(kind));

/** Adds documents to the index of their kind, and their words to the vocabulary. */
export async function indexRows(session: Session, kind: MemoryKind, documents: Document[]): Promise<void> {
  if (documents.length === 0) return;
  const analyzed = documents.map(analyzeDocument);
  const { fullText } = session.dialect;
  await insertions[kind](session)(analyzed.map((each) => fullText.rowOf(termsOf(each))));
  await addToVocabulary(session, analyzed);
  await addTextLanguages(session, analyzed);
}

/**
 * Indexes documents again that may have other terms. Postgres rewrites only those whose terms differ; a
 * contentless FTS5 table cannot compare them.
 */
export async function replaceRows(session: Session, kind: MemoryKind, documents: Document[]): Promise<void> {
  if (documents.length === 0) return;
  const analyzed = documents.map(analyzeDocument);
  const { fullText } = session.dialect;
  const rows = JSON.stringify(analyzed.map((each) => fullText.rowOf(termsOf(each))));
  await allRows(session, fullText.replacement(indexOf(kind), rows));
  await addToVocabulary(session, analyzed);
  await addTextLanguages(session, analyzed);
}

/** Removes rows from the index of their kind. */
export async function removeRows(session: Session, kind: MemoryKind, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  const { dialect } = session;
  await allRows(
    session,
    sql`delete from ${indexOf(kind)} where ${sql.raw(dialect.fullText.key)} in
      (select cast(value as bigint) from ${elements(dialect, ids)})`,
  );
}

/** Deletes all documents from the indexes, the vocabulary and the languages. */
export async function clearIndexes(session: Session): Promise<void> {
  for (const kind of memoryKinds) await allRows(session, session.dialect.fullText.clear(indexOf(kind)));
  await clearVocabulary(session);
  await clearTextLanguages(session);
}

interface AnalyzedDocument extends DocumentWords {
  id: number;
  language: Language | null;
  /** Terms without a position: those of its language, its audience, and whether it opens a task. */
  unpositioned: string[];
}

function analyzeDocument({ id, head, body, audience, isOpening }: Document): AnalyzedDocument {
  const text = analyzeText(head, body);
  const [headWords, bodyWords] = text.parts as [Word[], Word[]];
  const unpositioned = [
    ...languageTermsOf(text),
    ...audienceTerms(audience),
    ...(isOpening ? [openingTerm] : []),
  ];
  return { id, audience, language: text.language, head: headWords, body: bodyWords, unpositioned };
}

const termsOf = ({ id, head, body, unpositioned }: AnalyzedDocument): IndexedDocument => ({
  id,
  head: head.flatMap(indexedTerms),
  body: body.flatMap(indexedTerms),
  unpositioned,
});

/** The statement that inserts all documents of a batch at once. */
const insertionOf = (kind: MemoryKind) =>
  preparedStatement(({ db, dialect }) => dialect.fullText.insertion(db, indexName(kind)));

// Safe: there is one for each kind.
const insertions = Object.fromEntries(memoryKinds.map((kind) => [kind, insertionOf(kind)])) as Record<
  MemoryKind,
  ReturnType<typeof insertionOf>
>;
