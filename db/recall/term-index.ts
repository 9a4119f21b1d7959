/**
 * The term indexes behind recall, one for each kind of row: FTS5 on SQLite, tsvector on Postgres, with the
 * same terms in the same order. They are written in the transaction of their rows.
 */
import { sql } from "drizzle-orm";
import { bigint, pgTable, text as pgText } from "drizzle-orm/pg-core";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EventRow } from "../../src/feed/schema.ts";
import { type MemoryKind, memoryKinds } from "../../src/memory/schema.ts";
import type { GuidanceRow, NewNote, PreferenceRow } from "../../src/rows.ts";
import { analyzeText, languageTermsOf } from "../../src/text/language-terms.ts";
import type { Word } from "../../src/text/tokenizer.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/prepared-statement.ts";
import { allRows } from "../query/sql.ts";
import { type Audience, audienceTerms, everyone } from "./audience.ts";
import { addToVocabulary, clearVocabulary, type DocumentWords } from "./vocabulary.ts";

export interface Document {
  id: number;
  /** The heading, whose words weigh more than those of the body. */
  head: string;
  body: string;
  audience: Audience;
}

/**
 * Builds the document of a row. Decisions are missing here because those of reviews need their asset: see
 * decision-documents.ts.
 */
export const documentOf = {
  preference: ({
    id,
    project,
    key,
    value,
  }: Pick<PreferenceRow, "id" | "project" | "key" | "value">): Document => ({
    ...{ id, head: key, body: value, audience: project ?? everyone },
  }),
  note: ({
    id,
    project,
    title,
    text,
  }: Pick<NewNote, "project" | "title" | "text"> & { id: number }): Document => ({
    ...{ id, head: title, body: text, audience: project },
  }),
  guidance: ({ id, path, text }: Pick<GuidanceRow, "id" | "path" | "text">): Document => ({
    ...{ id, head: path.join(" "), body: text, audience: everyone },
  }),
  event: ({ id, project, summary }: Pick<EventRow, "id" | "project" | "summary">): Document => ({
    ...{ id, head: "", body: summary, audience: project },
  }),
};

/** The only kind with millions of rows. */
export const largestKind: MemoryKind = "event";

export const indexName = (kind: MemoryKind): string => `${kind}_terms`;
export const indexOf = (kind: MemoryKind) => sql.identifier(indexName(kind));

/** Adds documents to the index of their kind, and their words to the vocabulary. */
export async function indexRows(session: Session, kind: MemoryKind, documents: Document[]): Promise<void> {
  if (documents.length === 0) return;
  const analyzed = documents.map(analyzeDocument);
  const toRow = session.dialect === "sqlite" ? rowOf : vectorRowOf;
  await insertions[kind](session).execute({ rows: JSON.stringify(analyzed.map(toRow)) });
  await addToVocabulary(session, analyzed);
}

/**
 * Indexes documents again that may have other terms. Postgres rewrites only those whose terms differ; a
 * contentless FTS5 table cannot compare them.
 */
export async function replaceRows(session: Session, kind: MemoryKind, documents: Document[]): Promise<void> {
  if (documents.length === 0) return;
  const analyzed = documents.map(analyzeDocument);
  const index = indexOf(kind);
  const isSqlite = session.dialect === "sqlite";
  const rows = JSON.stringify(analyzed.map(isSqlite ? rowOf : vectorRowOf));
  await allRows(
    session,
    isSqlite
      ? sql`replace into ${index} (rowid, head, body)
          select value ->> 0, value ->> 1, value ->> 2 from json_each(${rows})`
      : sql`insert into ${index} as old (id, terms)
          select (value ->> 0)::bigint, (value ->> 1)::tsvector from json_array_elements(${rows}::text::json)
          on conflict (id) do update set terms = excluded.terms where old.terms <> excluded.terms`,
  );
  await addToVocabulary(session, analyzed);
}

/** Removes rows from the index of their kind. */
export async function removeRows(session: Session, kind: MemoryKind, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  const list = JSON.stringify(ids);
  await allRows(
    session,
    session.dialect === "sqlite"
      ? sql`delete from ${indexOf(kind)} where rowid in (select value from json_each(${list}))`
      : sql`delete from ${indexOf(kind)} where id in (select value::bigint from json_array_elements_text(${list}::text::json))`,
  );
}

/** Deletes all documents from the indexes, and the vocabulary. */
export async function clearIndexes(session: Session): Promise<void> {
  for (const kind of memoryKinds) {
    const index = indexOf(kind);
    await allRows(
      session,
      session.dialect === "sqlite"
        ? sql`insert into ${index} (${index}) values ('delete-all')`
        : sql`delete from ${index}`,
    );
  }
  await clearVocabulary(session);
}

interface AnalyzedDocument extends DocumentWords {
  id: number;
  /** Terms without a position: those of its language, and its audience. */
  unpositioned: string[];
}

function analyzeDocument({ id, head, body, audience }: Document): AnalyzedDocument {
  const text = analyzeText(head, body);
  const [headWords, bodyWords] = text.parts as [Word[], Word[]];
  const unpositioned = [...languageTermsOf(text), ...audienceTerms(audience)];
  return { id, audience, head: headWords, body: bodyWords, unpositioned };
}

const termsOf = (words: Word[]): string[] =>
  words.flatMap(({ term, parts }) => (parts.length > 0 ? [term, ...parts] : term));

const rowOf = ({ id, head, body, unpositioned }: AnalyzedDocument) => [
  id,
  termsOf(head).join(" "),
  [...termsOf(body), ...unpositioned].join(" "),
];
const vectorRowOf = ({ id, head, body, unpositioned }: AnalyzedDocument) => [
  id,
  vectorOf(termsOf(head), termsOf(body), [...new Set(unpositioned)]),
];

/** The statement that inserts all documents of a batch at once. */
const insertionOf = (kind: MemoryKind) => {
  const name = indexName(kind);
  const lite = sqliteTable(name, { rowid: integer(), head: text(), body: text() });
  // Safe: the builder only takes table and column names from it.
  const postgres = pgTable(name, {
    id: bigint({ mode: "number" }),
    terms: pgText(),
  }) as unknown as typeof lite;
  const rows = sql.placeholder("rows");
  return preparedStatement(({ db, dialect }) =>
    dialect === "sqlite"
      ? db
          .insert(lite)
          .select(sql`select value ->> 0, value ->> 1, value ->> 2 from json_each(${rows})`)
          .prepare()
      : db
          .insert(postgres)
          .select(
            sql`select (value ->> 0)::bigint, (value ->> 1)::tsvector from json_array_elements(${rows}::text::json)`,
          )
          .prepare(),
  );
};
// Safe: there is one for each kind.
const insertions = Object.fromEntries(memoryKinds.map((kind) => [kind, insertionOf(kind)])) as Record<
  MemoryKind,
  ReturnType<typeof insertionOf>
>;

/** Postgres limits: positions of a term in a tsvector, and the highest position. */
const positionsMax = 255;
const positionMax = 16_383;

/**
 * The text form of a tsvector. Terms of the heading have weight A; `unpositioned` terms have no position.
 * Terms hold no quotes or backslashes, so they need no escaping.
 */
function vectorOf(head: string[], body: string[], unpositioned: string[]): string {
  const positions = new Map<string, string[]>();
  for (const [index, term] of [...head, ...body].entries()) {
    const position = `${Math.min(index + 1, positionMax)}${index < head.length ? "A" : ""}`;
    const list = positions.get(term);
    if (!list) positions.set(term, [position]);
    else if (list.length < positionsMax) list.push(position);
  }
  return [
    ...[...positions].map(([term, list]) => `'${term}':${list.join(",")}`),
    ...unpositioned.map((term) => `'${term}'`),
  ].join(" ");
}
