/** The SQL of Postgres. JSON travels as text and is cast, since Bun.SQL would encode it once more. */
import { type Column, fillPlaceholders, getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { writeBufferOf } from "../engine/write-buffer.ts";
import { rowReader } from "../query/row-reader.ts";
import { wellFormedJson } from "../query/sql.ts";
import type { Client, Value } from "./client.ts";
import type { Dialect } from "./dialect.ts";
import { rowComparisonRange } from "./index-range.ts";
import { tsvector } from "./tsvector.ts";

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
  inserter(client, table, onConflict = "") {
    const values = Object.values<Column>(getTableColumns(table)).map((column, index) =>
      sql.raw(`cast(value ->> ${index} as ${column.getSQLType()})`),
    );
    // A third less CPU than a statement for each row. From `json` instead of `jsonb`, each column would parse
    // the row again (`bun run bench append`).
    const statement = client
      .insert(table)
      .select(sql`select ${sql.join(values, sql`, `)} from
        jsonb_array_elements(${sql.placeholder("rows")}::text::jsonb) ${sql.raw(onConflict)}`)
      .prepare();
    const write = postgres.writer(client, statement);
    return (rows) => (rows.length > 0 ? write({ rows: wellFormedJson(rows) }) : Promise.resolve());
  },

  elements: (json) => sql`json_array_elements_text(${json}::text::json) as element (value)`,
  jsonElements: (json) => sql`json_array_elements(${json}::text::json)`,
  jsonField: (json, name) => sql`${json}::json ->> ${sql.raw(`'${name}'`)}`,
  json: (text) => sql`${text}::text::jsonb`,
  insertObjects(table, columns, json) {
    const names = sql.join(
      columns.map((column) => sql`${sql.identifier(column)}`),
      sql`, `,
    );
    return sql`insert into ${sql.identifier(table)} (${names}) overriding system value
      select ${names} from json_populate_recordset(null::${sql.identifier(table)}, ${json}::text::json)`;
  },
  // Unlike `in`, `any (array(…))` can use an index.
  isIn: (column, query) => sql`${column} = any (array(${query}))`,
  forEachRow: (table, column, query) =>
    sql`select entry.${column} from ${table} join lateral (${query}) as entry on true`,

  indexRange: rowComparisonRange,
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
