/**
 * The indexes behind recall, one for each kind of row: FTS5 on SQLite, tsvector on Postgres, of the same
 * terms in the same order. Written in the transaction of their rows.
 */
import { sql } from "drizzle-orm";
import { bigint, pgTable, text as pgText } from "drizzle-orm/pg-core";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EventRow } from "../../src/feed/schema.ts";
import { type MemoryKind, memoryKinds } from "../../src/memory/schema.ts";
import type { GuidanceRow, NewNote, PreferenceRow } from "../../src/rows.ts";
import { type Word, wordsOf } from "../../src/text/tokenizer.ts";
import type { Session } from "../engine/session.ts";
import { preparedStatement } from "../query/prepared-statement.ts";
import { allRows } from "../query/sql.ts";
import { type Audience, audienceTerms, everyone } from "./audience.ts";
import { clearVocabulary, learn, type Words } from "./vocabulary.ts";

export interface Document {
  id: number;
  /** Its heading: worth more than the text below it. */
  head: string;
  body: string;
  audience: Audience;
}

/**
 * What of a row recall finds it by. A decision of a review needs its asset: see
 * db/recall/decision-documents.ts.
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

/** The one kind of which there may be millions. */
export const manyKind: MemoryKind = "event";

export const indexName = (kind: MemoryKind): string => `${kind}_terms`;
export const indexOf = (kind: MemoryKind) => sql.identifier(indexName(kind));

export async function indexRows(session: Session, kind: MemoryKind, documents: Document[]): Promise<void> {
  if (documents.length === 0) return;
  const analysed = documents.map(({ id, head, body, audience }) => ({
    id,
    audience,
    head: wordsOf(head),
    body: wordsOf(body),
  }));
  const toRow = session.dialect === "sqlite" ? rowOf : vectorRowOf;
  await insertions[kind](session).execute({ rows: JSON.stringify(analysed.map(toRow)) });
  await learn(session, analysed);
}

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

/** Forgets every document, and every word. */
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

interface Analysed extends Words {
  id: number;
}

const termsOf = (words: Word[]): string[] =>
  words.flatMap(({ term, parts }) => (parts.length > 0 ? [term, ...parts] : term));

const rowOf = ({ id, audience, head, body }: Analysed) => [
  id,
  [...termsOf(head), ...audienceTerms(audience)].join(" "),
  termsOf(body).join(" "),
];
const vectorRowOf = ({ id, audience, head, body }: Analysed) => [
  id,
  vectorOf(termsOf(head), termsOf(body), audienceTerms(audience)),
];

/** All documents in one statement. */
const insertionOf = (kind: MemoryKind) => {
  const name = indexName(kind);
  const lite = sqliteTable(name, { rowid: integer(), head: text(), body: text() });
  // safe because: the builder only takes the names of an index from it
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
// safe because: there is one for each kind
const insertions = Object.fromEntries(memoryKinds.map((kind) => [kind, insertionOf(kind)])) as Record<
  MemoryKind,
  ReturnType<typeof insertionOf>
>;

/** Postgres keeps at most so many positions of a term, and none above that one. */
const positionsMax = 255;
const positionMax = 16_383;

/**
 * The text form of a tsvector; the last ones stand nowhere. No term holds a quote or a backslash, so nothing
 * in them needs care.
 */
function vectorOf(head: string[], body: string[], apart: string[]): string {
  const places = new Map<string, string[]>();
  for (const [index, term] of [...head, ...body].entries()) {
    const place = `${Math.min(index + 1, positionMax)}${index < head.length ? "A" : ""}`;
    const known = places.get(term);
    if (!known) places.set(term, [place]);
    else if (known.length < positionsMax) known.push(place);
  }
  return [
    ...[...places].map(([term, list]) => `'${term}':${list.join(",")}`),
    ...apart.map((term) => `'${term}'`),
  ].join(" ");
}
