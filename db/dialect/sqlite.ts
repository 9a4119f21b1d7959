/** The SQL of SQLite. */
import { sql } from "drizzle-orm";
import { rowDecoder, sqliteInsert, sqliteQuery, sqliteWrite } from "../query/fast-statement.ts";
import type { Dialect } from "./dialect.ts";
import { fts5 } from "./fts5.ts";
import { equalityRange } from "./index-range.ts";

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

  elements: (json) => sql`json_each(${json}) as element`,
  jsonElements: (json) => sql`json_each(${json})`,
  jsonField: (json, name) => sql`${json} ->> ${sql.raw(`'${name}'`)}`,
  json: (text) => sql`${text}`,
  insertObjects(table, columns, json) {
    const names = columns.map((column) => sql`${sql.identifier(column)}`);
    const values = columns.map((column) => sql`value ->> ${sql.raw(`'$.${column}'`)}`);
    return sql`insert into ${sql.identifier(table)} (${sql.join(names, sql`, `)})
      select ${sql.join(values, sql`, `)} from json_each(${json})`;
  },
  isIn: (column, query) => sql`${column} in (${query})`,
  // SQLite has no `lateral`. Passing a list on as JSON takes half the time of looking up each entry again.
  forEachRow: (table, column, query) => sql`select entry.value as ${column}
    from ${table} cross join json_each((select json_group_array(${column}) from (${query}))) as entry`,

  indexRange: equalityRange,
  unindexed: (column) => sql`+${column}`,
  opaque: (value) => sql`${value}`,

  // As bytes: Bun takes three times as long to make a string of a page (`bun run bench feed`).
  joined: (column) => sql<Uint8Array<ArrayBuffer>>`cast(group_concat(${column}) as blob)`,
  utcDay: (seconds) => sql`date(${seconds}, 'unixepoch')`,
  cappedSum: (value, max) => sql`cast(min(total(${value}), ${sql.raw(String(max))}) as integer)`,
};
