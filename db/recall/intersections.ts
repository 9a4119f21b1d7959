/**
 * Events that have all of several frequent words. Where the words hardly ever meet, an index walks along all
 * places of each, which of millions of events takes long. No event is ever changed: what was found so is
 * known for a while, and only newer events are looked at.
 */
import { desc, sql } from "drizzle-orm";
import { evictOldest } from "../../src/lib/bounded-map.ts";
import type { Match } from "../../src/rows.ts";
import type { CachedIntersection, Session } from "../engine/session.ts";
import { headOf } from "../feed/events.ts";
import { preparedStatement } from "../query/prepared-statement.ts";
import { allRows } from "../query/sql.ts";
import { lastMax, matching, matchText, newestOf, textOf } from "./match.ts";
import { indexOf, manyKind } from "./term-index.ts";

/** Another process may have mended the index meanwhile. */
const trustedMs = 600_000;

interface Wanted {
  /** As the index is asked for it, and its text. */
  match: Match;
  text: string;
  /**
   * The text of what it was before its beginnings were spelled out: no event of before has a word that is new
   * since.
   */
  name: string;
  /** The other conditions are asked of so many. */
  most: number;
  limit: number;
}

interface Ways<Row> {
  /** Asks the index. */
  anew(): Promise<Row[]>;
  among(ids: number[]): Promise<Row[]>;
}

/** The newest events that have a match, the newest first. */
export async function newestMet<Row extends { id: number }>(
  session: Session,
  { match, text, name, most, limit }: Wanted,
  { anew, among }: Ways<Row>,
): Promise<Row[]> {
  const texts = "all" in match ? [...new Set(match.all.map((one) => textOf(one, session.dialect)))] : [];
  if (texts.length < 2) return anew();
  const key = `${most} ${name}`;
  const { id: head } = await headOf(session);
  const now = performance.now();
  const known = session.intersections.get(key);
  const isTrusted = known !== undefined && known.until >= head - lastMax && now < known.at + trustedMs;
  if (isTrusted && known.ids) {
    const { until, at } = known;
    const said = { match: text, texts: JSON.stringify(texts), count: texts.length, after: until };
    const fresh = until < head ? await newer(session).execute(said) : [];
    const ids = [...new Set([...fresh.map(({ id }) => id), ...known.ids])].slice(0, most);
    learn(session, key, { ids, until: Math.max(until, head), at });
    return among(ids);
  }
  const rows = await anew();
  const found = rows.map(({ id }) => id);
  // Of too few all places were walked along; else as far as to the last one.
  const isFar = (ids: number[], wanted: number) =>
    (ids.length < wanted || (ids.at(-1) as number) < head - lastMax) && head > lastMax;
  if (isTrusted || !isFar(found, limit)) return rows;
  const ids = most === limit ? found : await newest(session, text, most);
  learn(session, key, { ...(isFar(ids, most) && { ids }), until: head, at: now });
  return rows;
}

/** So many matches are known; each is of some tens of kilobytes at most. */
const knownMax = 500;

/** What was not asked for longest is forgotten. */
function learn({ intersections: met }: Session, key: string, known: CachedIntersection): void {
  met.delete(key);
  met.set(key, known);
  evictOldest(met, knownMax);
}

const keyOf = ({ dialect }: Session) => sql`found.${sql.raw(dialect === "sqlite" ? "rowid" : "id")}`;

/** Ids of the newest, by the whole index. */
async function newest(session: Session, text: string, most: number): Promise<number[]> {
  let rows: { id: number }[] = [];
  for (const place of newestOf(session, manyKind, most, sql`${text}`))
    if (rows.length < most) rows = await allRows(session, sql`select ${keyOf(session)} as id from ${place}`);
  return rows.map(({ id }) => Number(id));
}

/**
 * Those behind `after`, of which there are not many. SQLite would walk along all places again, so it looks
 * for each word by itself.
 */
const newer = preparedStatement((session) => {
  const { db, dialect } = session;
  const after = sql.placeholder("after");
  const index = indexOf(manyKind);
  const place =
    dialect === "sqlite"
      ? sql`(select ${index}.rowid from json_each(${sql.placeholder("texts")}) as word cross join ${index}
          where ${matching(session, manyKind, sql`word.value`)} and ${index}.rowid > ${after}
          group by ${index}.rowid having count(*) = ${sql.placeholder("count")}) as found`
      : sql`(select id from (select id, terms from ${index} where id > ${after} offset 0) as ${index}
          where ${index}.terms @@ (select ${matchText}::text::tsquery)) as found`;
  const key = keyOf(session);
  return db
    .select({ id: key.mapWith(Number) })
    .from(place)
    .orderBy(desc(key))
    .prepare();
});
