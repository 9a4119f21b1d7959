/** Full-text search of SQLite (https://www.sqlite.org/fts5.html). */
import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { sqliteInsert } from "../query/fast-statement.ts";
import { type FullText, matchPlaceholder } from "./full-text.ts";

const hasMatch = (index: SQLWrapper, expression: SQLWrapper): SQL => sql`${index} match ${expression}`;

export const fts5: FullText = {
  key: "rowid",
  and: " AND ",
  or: " OR ",
  term: (term, isPrefix) => `"${term}"${isPrefix ? "*" : ""}`,

  insertion: (client, index) =>
    sqliteInsert(client, sqliteTable(index, { rowid: integer(), head: text(), body: text() })),
  rowOf: ({ id, head, body, unpositioned }) => [id, head.join(" "), [...body, ...unpositioned].join(" ")],
  replacement: (index, rows) => sql`replace into ${index} (rowid, head, body)
    select value ->> 0, value ->> 1, value ->> 2 from json_each(${rows})`,
  clear: (index) => sql`insert into ${index} (${index}) values ('delete-all')`,

  hasMatch,
  newestMatches: (index, expression, limit) => [
    sql`(select rowid from ${index} where ${hasMatch(index, expression)}
      order by rowid desc limit ${limit}) as found`,
  ],
  // For an `AND` FTS5 would read the whole posting lists again, so each word is searched for by itself.
  newerMatches: (index) => sql`(select ${index}.rowid
    from json_each(${sql.placeholder("texts")}) as word cross join ${index}
    where ${hasMatch(index, sql`word.value`)} and ${index}.rowid > ${sql.placeholder("after")}
    group by ${index}.rowid having count(*) = ${sql.placeholder("count")}) as found`,
  rank: (index) => sql`bm25(${index}, 2.0, 1.0)`,
  rankedMatch(index, hasRankMatch) {
    const match = hasMatch(index, matchPlaceholder);
    if (!hasRankMatch) return match;
    // BM25 reads the whole posting list of each term it ranks by, which is slow for a frequent one. So it
    // ranks by the rare terms, and the full match is a separate condition.
    return and(
      hasMatch(index, sql.placeholder("rank")),
      sql`+${index}.rowid in (select rowid from ${index} where ${match})`,
    ) as SQL;
  },

  searchList: () => sql`(select key as place, value ->> 0 as query_text, value ->> 1 as of_many
    from json_each(${sql.placeholder("list")})) as query`,
  hasListedMatch: hasMatch,
};
