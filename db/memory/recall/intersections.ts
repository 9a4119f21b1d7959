/**
 * Intersections of posting lists: the newest events that have all of several frequent words. If the words
 * rarely occur together, an index reads the whole posting list of each, which is slow with millions of
 * events. Events never change, so such a result is cached, and the next search looks only at newer events.
 * `bun run bench growth` measures it, the first search and the repeated one.
 */
import { desc, sql } from "drizzle-orm";
import type { Match } from "../../../src/memory/rows.ts";
import { recentRowsMax } from "../../dialect/full-text.ts";
import { dropRewritten, type Session } from "../../engine/session.ts";
import { readFeedHead } from "../../feed/head.ts";
import { allRows, preparedStatement } from "../../query/statements.ts";
import { keyColumn, matchExpression, newestMatches } from "./match.ts";
import { indexOf, largestKind } from "./term-index.ts";

interface IntersectionQuery {
  /** The match with its prefixes expanded, and its expression for the index. */
  match: Match;
  expression: string;
  /**
   * The expression before its prefixes were expanded, which keys the cache: a word that is new since then is
   * in newer events only.
   */
  unexpanded: string;
  /** The number of candidates that the other conditions are checked on. */
  candidatesMax: number;
  limit: number;
}

interface Searches<Row> {
  /** Searches the whole index. */
  searchIndex(): Promise<Row[]>;
  /** Reads the rows with these ids that fit the other conditions. */
  readCandidates(ids: number[]): Promise<Row[]>;
}

/** Finds the newest events that have all terms of a match, newest first. */
export async function newestWithAll<Row extends { id: number }>(
  session: Session,
  { match, expression, unexpanded, candidatesMax, limit }: IntersectionQuery,
  { searchIndex, readCandidates }: Searches<Row>,
): Promise<Row[]> {
  const terms =
    "all" in match ? [...new Set(match.all.map((term) => matchExpression(term, session.dialect)))] : [];
  if (terms.length < 2) return searchIndex();
  const key = `${candidatesMax} ${unexpanded}`;
  // Not the newest event, as another process may have appended since this one caught up.
  const { derived: last, budgets } = await readFeedHead(session);
  dropRewritten(session, budgets);
  const { generation } = session.intersections;
  const cached = session.intersections.get(key);
  const isFresh = cached !== undefined && cached.until >= last - recentRowsMax;
  if (isFresh && cached.ids) {
    const { until } = cached;
    const values = { match: expression, texts: JSON.stringify(terms), count: terms.length, after: until };
    const newer = until < last ? await selectNewer(session).execute(values) : [];
    const ids = [...new Set([...newer.map(({ id }) => id), ...cached.ids])].slice(0, candidatesMax);
    session.intersections.set(key, { ids, until: Math.max(until, last) }, generation);
    return readCandidates(ids);
  }
  const rows = await searchIndex();
  const found = rows.map(({ id }) => id);
  // With too few results the posting lists were read to their ends, otherwise as far as the oldest result.
  const isSlow = (ids: number[], wantedCount: number) =>
    (ids.length < wantedCount || (ids.at(-1) as number) < last - recentRowsMax) && last > recentRowsMax;
  if (isFresh || !isSlow(found, limit)) return rows;
  const ids = candidatesMax === limit ? found : await selectNewest(session, expression, candidatesMax);
  const intersection = { ...(isSlow(ids, candidatesMax) && { ids }), until: last };
  session.intersections.set(key, intersection, generation);
  return rows;
}

const keyOf = ({ dialect }: Session) => sql`found.${keyColumn(dialect)}`;

/** Reads the ids of the newest matching events from the whole index. */
async function selectNewest(session: Session, expression: string, limit: number): Promise<number[]> {
  let rows: { id: number }[] = [];
  for (const source of newestMatches(session, largestKind, limit, { match: sql`${expression}` }))
    if (rows.length < limit)
      rows = await allRows(session, sql`select ${keyOf(session)} as id from ${source}`);
  return rows.map(({ id }) => Number(id));
}

/** The matching events newer than `after`, of which there are few. */
const selectNewer = preparedStatement((session) => {
  const key = keyOf(session);
  return session.db
    .select({ id: key.mapWith(Number) })
    .from(session.dialect.fullText.newerMatches(indexOf(largestKind)))
    .orderBy(desc(key))
    .prepare();
});
