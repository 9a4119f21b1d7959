/**
 * Events that have all of several frequent words. Where the words hardly ever meet, an index walks along all places of each, which
 * of millions of events takes long. No event is ever changed: what was found so is known from then on, and only newer events are
 * looked at.
 */
import { desc, sql } from "drizzle-orm";
import type { Match } from "../src/rows.ts";
import { headOf } from "./events.ts";
import { asked, lastMax, matching, newestOf, textOf } from "./matching.ts";
import { prepared } from "./prepared.ts";
import { allRows } from "./rows.ts";
import type { Session } from "./session.ts";
import { indexOf, manyKind } from "./terms.ts";

/** What is known of a match. */
export interface Met {
  /** The newest events that have it, the newest first; absent where they are found soon. */
  ids?: number[];
  /** Of events up to this one. */
  until: number;
}

interface Ways<Row> {
  /** Asks the index. */
  anew(): Promise<Row[]>;
  among(ids: number[]): Promise<Row[]>;
}

/**
 * The newest events that have a match, the newest first.
 * @param most the other conditions are asked of so many
 * @param limit so many are wanted
 */
export async function newestMet<Row extends { id: number }>(
  session: Session,
  match: Match,
  { most, limit }: { most: number; limit: number },
  { anew, among }: Ways<Row>,
): Promise<Row[]> {
  const texts = "all" in match ? [...new Set(match.all.map((one) => textOf(one, session.dialect)))] : [];
  if (texts.length < 2) return anew();
  const text = textOf(match, session.dialect);
  const key = `${most} ${text}`;
  const { id: head } = await headOf(session);
  const isFar = (ids: number[], wanted: number) => (ids.length < wanted ? 0 : (ids.at(-1) as number)) < head - lastMax;
  const known = session.met.get(key);
  const isOfLate = known !== undefined && known.until <= head && known.until >= head - lastMax;
  if (isOfLate && known.ids) {
    const said = { match: text, texts: JSON.stringify(texts), count: texts.length, after: known.until };
    const fresh = known.until < head ? await newer(session).execute(said) : [];
    const ids = [...new Set([...fresh.map(({ id }) => id), ...known.ids])].slice(0, most);
    learn(session, key, { ids, until: head });
    return among(ids);
  }
  const rows = await anew();
  const found = rows.map(({ id }) => id);
  if (isOfLate || !isFar(found, limit)) return rows;
  const ids = most === limit ? found : await newest(session, text, most);
  learn(session, key, { ...(isFar(ids, most) && { ids }), until: head });
  return rows;
}

/** So many matches are known; each is of some tens of kilobytes at most. */
const knownMax = 500;

function learn({ met }: Session, key: string, known: Met): void {
  if (met.size >= knownMax && !met.has(key)) met.clear();
  met.set(key, known);
}

const keyOf = ({ dialect }: Session) => sql`found.${sql.raw(dialect === "sqlite" ? "rowid" : "id")}`.mapWith(Number);

/** Ids of the newest, by the whole index. */
async function newest(session: Session, text: string, most: number): Promise<number[]> {
  let rows: { id: number }[] = [];
  for (const place of newestOf(session, manyKind, most, sql`${text}`))
    if (rows.length < most) rows = await allRows(session, sql`select ${keyOf(session)} as id from ${place}`);
  return rows.map(({ id }) => Number(id));
}

/** Those behind `after`, of which there are not many. SQLite would walk along all places again, so it looks for each word by itself. */
const newer = prepared((session) => {
  const { db, dialect } = session;
  const after = sql.placeholder("after");
  const index = indexOf(manyKind);
  const place =
    dialect === "sqlite"
      ? sql`(select ${index}.rowid from json_each(${sql.placeholder("texts")}) as word cross join ${index}
          where ${matching(session, manyKind, sql`word.value`)} and ${index}.rowid > ${after}
          group by ${index}.rowid having count(*) = ${sql.placeholder("count")}) as found`
      : sql`(select id from (select id, terms from ${index} where id > ${after} offset 0) as ${index}
          where ${index}.terms @@ (select ${asked}::text::tsquery)) as found`;
  const id = keyOf(session);
  return db.select({ id }).from(place).orderBy(desc(id)).prepare();
});
