/**
 * The indexes behind recall, one for each kind of row: FTS5 on SQLite, tsvector on Postgres, of the same terms in the same
 * order. Written in the transaction of their rows.
 */
import { type SQL, sql } from "drizzle-orm";
import { bigint, pgTable, text as pgText } from "drizzle-orm/pg-core";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type MemoryKind, memoryKinds } from "../src/memory/schema.ts";
import { gramsOf, isGuessable } from "../src/text/similar.ts";
import { type Word, wordsOf } from "../src/text/terms.ts";
import { prepared } from "./prepared.ts";
import { allRows } from "./rows.ts";
import type { Session } from "./session.ts";

export interface Document {
  id: number;
  /** Its heading: worth more than the text below it. */
  head: string;
  body: string;
}

/** What of a row recall finds it by. */
export const documentOf = {
  decision: ({ id, text }: { id: number; text: string }): Document => ({ id, head: "", body: text }),
  preference: ({ id, key, value }: { id: number; key: string; value: string }): Document => ({ id, head: key, body: value }),
  note: ({ id, title, text }: { id: number; title: string; text: string }): Document => ({ id, head: title, body: text }),
  guidance: ({ id, path, text }: { id: number; path: string[]; text: string }): Document => ({ id, head: path.join(" "), body: text }),
  event: ({ id, summary }: { id: number; summary: string }): Document => ({ id, head: "", body: summary }),
} satisfies Record<MemoryKind, unknown>;

/** The one kind of which there may be millions. */
export const manyKind: MemoryKind = "event";

export const indexName = (kind: MemoryKind): string => `${kind}_terms`;
export const indexOf = (kind: MemoryKind) => sql.identifier(indexName(kind));

export async function indexRows(session: Session, kind: MemoryKind, documents: Document[]): Promise<void> {
  if (documents.length === 0) return;
  const analysed = documents.map(({ id, head, body }) => ({ id, head: wordsOf(head), body: wordsOf(body) }));
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
      session.dialect === "sqlite" ? sql`insert into ${index} (${index}) values ('delete-all')` : sql`delete from ${index}`,
    );
  }
  for (const words of ["word_grams", "words"]) await allRows(session, sql`delete from ${sql.identifier(words)}`);
}

interface Analysed {
  id: number;
  head: Word[];
  body: Word[];
}

const termsOf = (words: Word[]): string[] => words.flatMap(({ term, parts }) => (parts.length > 0 ? [term, ...parts] : term));

const rowOf = ({ id, head, body }: Analysed) => [id, termsOf(head).join(" "), termsOf(body).join(" ")];
const vectorRowOf = ({ id, head, body }: Analysed) => [id, vectorOf(termsOf(head), termsOf(body))];

/** All documents in one statement. */
const insertionOf = (kind: MemoryKind) => {
  const name = indexName(kind);
  const lite = sqliteTable(name, { rowid: integer(), head: text(), body: text() });
  // safe because: the builder only takes the names of an index from it
  const postgres = pgTable(name, { id: bigint({ mode: "number" }), terms: pgText() }) as unknown as typeof lite;
  const rows = sql.placeholder("rows");
  return prepared(({ db, dialect }) =>
    dialect === "sqlite"
      ? db.insert(lite).select(sql`select value ->> 0, value ->> 1, value ->> 2 from json_each(${rows})`).prepare()
      : db
          .insert(postgres)
          .select(sql`select (value ->> 0)::bigint, (value ->> 1)::tsvector from json_array_elements(${rows}::text::json)`)
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

/** The text form of a tsvector. Terms hold letters and digits only, so nothing in them needs care. */
function vectorOf(head: string[], body: string[]): string {
  const places = new Map<string, string[]>();
  for (const [index, term] of [...head, ...body].entries()) {
    const place = `${Math.min(index + 1, positionMax)}${index < head.length ? "A" : ""}`;
    const known = places.get(term);
    if (!known) places.set(term, [place]);
    else if (known.length < positionsMax) known.push(place);
  }
  return [...places].map(([term, list]) => `'${term}':${list.join(",")}`).join(" ");
}

const knownMax = 50_000;

/** Puts new words where a mistyped one finds them. Most are known already. */
async function learn(session: Session, documents: Analysed[]): Promise<void> {
  const { known } = session;
  const fresh = new Set<string>();
  for (const { head, body } of documents)
    for (const words of [head, body])
      for (const { forms } of words) for (const form of forms) if (!known.has(form) && isGuessable(form)) fresh.add(form);
  if (fresh.size === 0) return;
  const added = await allRows<{ form: string }>(
    session,
    sql`insert into words (form) ${listed(session, sql`value`, [...fresh])} on conflict do nothing returning form`,
  );
  const grams = added.flatMap(({ form }) => gramsOf(form).map((gram) => [gram, form]));
  const pair = sql`value ->> 0, value ->> 1`;
  if (grams.length > 0)
    await allRows(session, sql`insert into word_grams (gram, form) ${listed(session, pair, grams)} on conflict do nothing`);
  if (known.size + fresh.size > knownMax) known.clear();
  for (const form of fresh) known.add(form);
}

/** What is chosen of each member of a list. SQLite wants a condition between a `select` and `on conflict`. */
function listed({ dialect }: Session, chosen: SQL, list: unknown[]): SQL {
  const text = JSON.stringify(list);
  if (dialect === "sqlite") return sql`select ${chosen} from json_each(${text}) where true`;
  return typeof list[0] === "string"
    ? sql`select ${chosen} from json_array_elements_text(${text}::text::json)`
    : sql`select ${chosen} from json_array_elements(${text}::text::json)`;
}
