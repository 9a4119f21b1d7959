/** The SQL of Postgres. JSON travels as text and is cast, since Bun.SQL would encode it once more. */

import {
  type Column,
  fillPlaceholders,
  getTableColumns,
  getTableName,
  type SQL,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import { bigint, pgTable, text } from "drizzle-orm/pg-core";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { writeBufferOf } from "../engine/write-buffer.ts";
import { rowReader } from "../query/row-reader.ts";
import { literalCount, wellFormedJson } from "../query/statements.ts";
import type { Client, Value } from "./client.ts";
import type { Dialect } from "./dialect.ts";
import { type FullText, matchPlaceholder, recentRowsMax } from "./full-text.ts";
import { identifiers } from "./identifiers.ts";
import { rowComparisonRange } from "./index-range.ts";

const hasMatch = (index: SQLWrapper, expression: SQLWrapper): SQL =>
  sql`${index}.terms @@ ${expression}::text::tsquery`;

/** `hasMatch` with the expression in a subquery, so that it is parsed once and not for each row. */
const hasParsedMatch = (index: SQLWrapper, expression: SQLWrapper): SQL =>
  sql`${index}.terms @@ (select ${expression}::text::tsquery)`;

/** Full-text search: a table of ids and tsvectors (`terms`) with a GIN index. */
const tsvector: FullText = {
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

// Safe: the Postgres client has `execute`, which returns the rows (see schema/columns.ts).
const all = <T>(client: Client, statement: SQL): Promise<T[]> =>
  (client as unknown as { execute(statement: SQL): Promise<T[]> }).execute(statement);

export const postgres: Dialect = {
  name: "postgres",
  fullText: tsvector,

  all,
  reader: (_client, query) => rowReader(query),
  writer(client, statement) {
    const buffer = writeBufferOf(client);
    if (!buffer) return (values) => statement.execute(values);
    const { sql: text, params } = statement.getQuery();
    return async (values) => buffer.hold(text, fillPlaceholders(params, values) as Value[]);
  },
  inserter(client, table, onConflict = "", generated = "") {
    const columns = Object.entries<Column>(getTableColumns(table)).filter(([name]) => name !== generated);
    const values = columns.map(([, column], index) =>
      sql.raw(`cast(value ->> ${index} as ${column.getSQLType()})`),
    );
    // Safe: the builder only takes table and column names from it. The columns are named, or drizzle would
    // remember these as all columns of the table.
    const target = pgTable(
      getTableName(table),
      Object.fromEntries(columns.map(([name]) => [name, text(name)])),
    ) as unknown as SQLiteTable;
    // A third less CPU than a statement for each row. From `json` instead of `jsonb`, each column would parse
    // the row again (`bun run bench append`).
    const statement = client
      .insert(target)
      .select(sql`select ${sql.join(values, sql`, `)} from
        jsonb_array_elements(${sql.placeholder("rows")}::text::jsonb) ${sql.raw(onConflict)}`)
      .prepare();
    const write = postgres.writer(client, statement);
    return (rows) => (rows.length > 0 ? write({ rows: wellFormedJson(rows) }) : Promise.resolve());
  },
  adder(client, table) {
    const names = Object.keys(getTableColumns(table)).filter((name) => name !== "id");
    const columns = identifiers(names);
    return (rows) =>
      all(
        client,
        sql`insert into ${table} (${columns})
          ${postgres.objectRows(getTableName(table), names, JSON.stringify(rows))}
          on conflict do nothing returning id, ${columns}`,
      );
  },

  elements: (json) => sql`json_array_elements_text(${json}::text::json) as element (value)`,
  contains: (text, part) => sql`strpos(${text}, ${part}) > 0`,
  jsonElements: (json) => sql`json_array_elements(${json}::text::json)`,
  withJsonFields(table, column, types) {
    const columns = Object.entries(types).map((field) => field.join(" "));
    return sql.raw(
      `${table} cross join lateral json_to_record(${column}::json) as fields (${columns.join(", ")})`,
    );
  },
  json: (text) => sql`${text}::text::jsonb`,
  objectRows: (table, columns, json) =>
    sql`select ${identifiers(columns)}
      from json_populate_recordset(null::${sql.identifier(table)}, ${json}::text::json)`,
  insertObjects: (table, columns, json) =>
    sql`insert into ${sql.identifier(table)} (${identifiers(columns)}) overriding system value
      ${postgres.objectRows(table, columns, json)}`,
  // Unlike `in`, `any (array(…))` can use an index.
  isIn: (column, query) => sql`${column} = any (array(${query}))`,
  forEachRow: (table, _, query) => sql`select entry.* from ${table} join lateral (${query}) as entry on true`,

  indexRange: rowComparisonRange,
  fromIndex: (table) => sql`${sql.identifier(table)}`,
  unindexed: (column) => sql`${column}`,
  // With visible values Postgres prefers custom plans and plans the statement again for each execution, which
  // takes as long as running it.
  opaque: (value) => sql`(select ${value}::text)`,

  utcDay: (seconds) => sql`to_char(to_timestamp(${seconds}) at time zone 'UTC', 'YYYY-MM-DD')`,
  cappedSum: (value, max) => sql`least(sum(${value}), ${sql.raw(String(max))})::bigint`,

  async afterImport(client, tablesWithIds, searchIndex: SQLWrapper) {
    for (const table of tablesWithIds) {
      const name = sql.identifier(table);
      await all(
        client,
        sql`select setval(pg_get_serial_sequence(${table}, 'id'),
          greatest((select max(id) from ${name}), 1), exists (select 1 from ${name}))`,
      );
    }
    // Search uses the planner statistics of the terms, and autovacuum would update them about a minute later.
    await all(client, sql`analyze ${searchIndex}`);
  },
};
