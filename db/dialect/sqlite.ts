/** The SQL of SQLite. */
import { and, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { rowDecoder, sqliteAdd, sqliteInsert, sqliteQuery, sqliteWrite } from "../query/fast-statement.ts";
import type { Dialect } from "./dialect.ts";
import { type FullText, matchPlaceholder } from "./full-text.ts";
import { identifiers } from "./identifiers.ts";
import { equalityRange } from "./index-range.ts";

const hasMatch = (index: SQLWrapper, expression: SQLWrapper): SQL => sql`${index} match ${expression}`;

/** Full-text search (https://www.sqlite.org/fts5.html). */
const fts5: FullText = {
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

export const sqlite: Dialect = {
  name: "sqlite",
  fullText: fts5,

  all: async <T>(client: Parameters<Dialect["all"]>[0], statement: Parameters<Dialect["all"]>[1]) =>
    client.all<T>(statement),
  // Without drizzle's row mapping, which takes nearly as long as reading the rows.
  reader<R>(...[client, query, table]: Parameters<Dialect["reader"]>) {
    const read = sqliteQuery<Record<string, unknown>>(client, query);
    if (!table) return async (values) => read(values) as R[];
    const decode = rowDecoder(table);
    return async (values) => read(values).map(decode) as R[];
  },
  writer: sqliteWrite,
  inserter: sqliteInsert,
  adder: sqliteAdd,

  elements: (json) => sql`json_each(${json}) as element`,
  contains: (text, part) => sql`instr(${text}, ${part}) > 0`,
  jsonElements: (json) => sql`json_each(${json})`,
  withJsonFields(table, column, types) {
    const columns = Object.entries(types).map(
      ([name, type]) => `cast(${column} ->> '${name}' as ${type}) as ${name}`,
    );
    return sql.raw(`(select *, ${columns.join(", ")} from ${table}) as ${table}`);
  },
  json: (text) => sql`${text}`,
  objectRows(_, columns, json) {
    const values = columns.map(
      (column) => sql`value ->> ${sql.raw(`'$.${column}'`)} as ${sql.identifier(column)}`,
    );
    return sql`select ${sql.join(values, sql`, `)} from json_each(${json})`;
  },
  insertObjects: (table, columns, json) =>
    sql`insert into ${sql.identifier(table)} (${identifiers(columns)})
      ${sqlite.objectRows(table, columns, json)}`,
  isIn: (column, query) => sql`${column} in (${query})`,
  // SQLite has no `lateral`. Passing a list on as JSON takes half the time of looking up each entry again.
  forEachRow(table, columns, query) {
    const isOne = columns.length === 1;
    const entry = isOne ? identifiers(columns) : sql`json_array(${identifiers(columns)})`;
    const values = columns.map((name, at) => {
      const value = isOne ? sql`entry.value` : sql`entry.value ->> ${sql.raw(String(at))}`;
      return sql`${value} as ${sql.identifier(name)}`;
    });
    return sql`select ${sql.join(values, sql`, `)} from ${table}
      cross join json_each((select json_group_array(${entry}) from (${query}))) as entry`;
  },

  indexRange: ({ key, ...range }, direction) =>
    equalityRange({ ...range, key: key && { ...key, value: sql`+${key.value}` } }, direction),
  fromIndex: (table, index) => sql`${sql.identifier(table)} indexed by ${sql.identifier(index)}`,
  unindexed: (column) => sql`+${column}`,
  // A parameter that is compared with a column may prove the condition of a partial index, such as that of
  // one kind: SQLite compiles such a statement again whenever it is bound (`exprCompareVariable` in its
  // expr.c), which takes longer than running it (`bun run bench agents`). An expression proves nothing.
  opaque: (value) => sql`+${value}`,

  utcDay: (seconds) => sql`date(${seconds}, 'unixepoch')`,
  cappedSum: (value, max) => sql`cast(min(total(${value}), ${sql.raw(String(max))}) as integer)`,
};
