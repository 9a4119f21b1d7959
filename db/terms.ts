/**
 * The indexes behind recall, one for each kind of row: FTS5 on SQLite, tsvector on Postgres, of the same terms in the same
 * order. Written in the transaction of their rows.
 */
import { sql } from "drizzle-orm";
import type { MemoryKind } from "../src/memory/schema.ts";
import { gramsOf, isGuessable } from "../src/text/similar.ts";
import { type Word, wordsOf } from "../src/text/terms.ts";
import { allRows } from "./rows.ts";
import type { Session } from "./session.ts";

export interface Document {
  id: number;
  /** Its heading: worth more than the text below it. */
  head: string;
  body: string;
}

export const indexOf = (kind: MemoryKind) => sql.identifier(`${kind}_terms`);

export async function indexRows(session: Session, kind: MemoryKind, documents: Document[]): Promise<void> {
  if (documents.length === 0) return;
  const analysed = documents.map(({ id, head, body }) => ({ id, head: wordsOf(head), body: wordsOf(body) }));
  await allRows(session, insertion(session, kind, analysed));
  await learn(session, new Set(analysed.flatMap(({ head, body }) => [...head, ...body]).flatMap(({ forms }) => forms)));
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

interface Analysed {
  id: number;
  head: Word[];
  body: Word[];
}

const termsOf = (words: Word[]): string[] => words.flatMap(({ term, parts }) => [term, ...parts]);

/** One statement for all of them. */
function insertion({ dialect }: Session, kind: MemoryKind, documents: Analysed[]) {
  if (dialect === "sqlite") {
    const rows = JSON.stringify(documents.map(({ id, head, body }) => [id, termsOf(head).join(" "), termsOf(body).join(" ")]));
    return sql`insert into ${indexOf(kind)} (rowid, head, body)
      select value ->> 0, value ->> 1, value ->> 2 from json_each(${rows})`;
  }
  const rows = JSON.stringify(documents.map(({ id, head, body }) => [id, vectorOf(termsOf(head), termsOf(body))]));
  return sql`insert into ${indexOf(kind)} (id, terms)
    select (value ->> 0)::bigint, (value ->> 1)::tsvector from json_array_elements(${rows}::text::json)`;
}

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
async function learn(session: Session, forms: Set<string>): Promise<void> {
  const { known } = session;
  const fresh = [...forms].filter((form) => !known.has(form) && isGuessable(form));
  if (fresh.length === 0) return;
  const added = await allRows<{ form: string }>(
    session,
    sql`insert into words (form) ${listed(session, fresh)} on conflict do nothing returning form`,
  );
  const grams = added.flatMap(({ form }) => gramsOf(form).map((gram) => [gram, form]));
  if (grams.length > 0) await allRows(session, sql`insert into word_grams (gram, form) ${paired(session, grams)} on conflict do nothing`);
  if (known.size + fresh.length > knownMax) known.clear();
  for (const form of fresh) known.add(form);
}

const listed = ({ dialect }: Session, list: string[]) =>
  dialect === "sqlite"
    ? sql`select value from json_each(${JSON.stringify(list)}) where true`
    : sql`select value from json_array_elements_text(${JSON.stringify(list)}::text::json)`;

const paired = ({ dialect }: Session, pairs: string[][]) =>
  dialect === "sqlite"
    ? sql`select value ->> 0, value ->> 1 from json_each(${JSON.stringify(pairs)}) where true`
    : sql`select value ->> 0, value ->> 1 from json_array_elements(${JSON.stringify(pairs)}::text::json)`;
