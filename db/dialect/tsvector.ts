/** Full-text search of Postgres: a table of ids and tsvectors (`terms`) with a GIN index. */
import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { bigint, pgTable, text } from "drizzle-orm/pg-core";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { literalCount } from "../query/sql.ts";
import { type FullText, matchPlaceholder, recentRowsMax } from "./full-text.ts";

const hasMatch = (index: SQLWrapper, expression: SQLWrapper): SQL =>
  sql`${index}.terms @@ ${expression}::text::tsquery`;

/** `hasMatch` with the expression in a subquery, so that it is parsed once and not for each row. */
const hasParsedMatch = (index: SQLWrapper, expression: SQLWrapper): SQL =>
  sql`${index}.terms @@ (select ${expression}::text::tsquery)`;

export const tsvector: FullText = {
  key: "id",
  and: " & ",
  or: " | ",
  term: (term, isPrefix) => `'${term}'${isPrefix ? ":*" : ""}`,

  insertion(client, index) {
    // Safe: the builder only takes table and column names from it.
    const table = pgTable(index, {
      id: bigint({ mode: "number" }),
      terms: text(),
    }) as unknown as SQLiteTable;
    const statement = client
      .insert(table)
      .select(
        sql`select (value ->> 0)::bigint, (value ->> 1)::tsvector
          from json_array_elements(${sql.placeholder("rows")}::text::json)`,
      )
      .prepare();
    return (rows) => statement.execute({ rows: JSON.stringify(rows) });
  },
  rowOf: ({ id, head, body, unpositioned }) => [id, vectorOf(head, body, unpositioned)],
  replacement: (index, rows) => sql`insert into ${index} as old (id, terms)
    select (value ->> 0)::bigint, (value ->> 1)::tsvector from json_array_elements(${rows}::text::json)
    on conflict (id) do update set terms = excluded.terms where old.terms <> excluded.terms`,
  clear: (index) => sql`delete from ${index}`,

  hasMatch,
  newestMatches(index, expression, limit, isLarge) {
    const matches = hasParsedMatch(index, expression);
    const recentRows = sql`(select id, terms from ${index}
      order by id desc limit ${literalCount(recentRowsMax)}) as ${index}`;
    const amongRecent = sql`(select id from ${recentRows}
      where ${matches} order by id desc limit ${limit}) as found`;
    // `id + 0` rules out a backward scan of the primary key, whose cost Postgres underestimates for two
    // frequent words that never occur together.
    const amongAll = sql`(select id from ${index}
      where ${matches} order by id + 0 desc limit ${limit}) as found`;
    return isLarge ? [amongRecent, amongAll] : [amongAll];
  },
  newerMatches: (index) => sql`(select id
    from (select id, terms from ${index} where id > ${sql.placeholder("after")} offset 0) as ${index}
    where ${hasParsedMatch(index, matchPlaceholder)}) as found`,
  rank: (index) => sql`-ts_rank('{0.5, 0.5, 0.5, 1}', ${index}.terms, ${matchPlaceholder}::text::tsquery)`,
  rankedMatch: (index) => hasMatch(index, matchPlaceholder),

  // `offset 0` keeps Postgres from parsing the expression again for each row.
  searchList: () => sql`(select place, (value ->> 0)::tsquery as query_text, (value ->> 1)::tsquery as of_many
    from json_array_elements(${sql.placeholder("list")}::text::json)
    with ordinality as query (value, place) offset 0) as query`,
  hasListedMatch: (index, expression) => sql`${index}.terms @@ ${expression}`,

  termFrequencies: (index) => sql`select term, share * reltuples as rows
    from pg_stats join pg_class on pg_class.oid = to_regclass(tablename),
      unnest(most_common_elems::text::text[], most_common_elem_freqs) as frequent (term, share)
    where schemaname = current_schema() and tablename = ${index} and attname = 'terms' and term is not null`,
};

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
