/**
 * Rows of SQLite as its driver gives them: drizzle maps them cell by cell, which takes nearly as long as
 * reading them.
 */
import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import {
  type Column,
  fillPlaceholders,
  getTableColumns,
  type InferSelectModel,
  is,
  Param,
  Placeholder,
  type Table,
} from "drizzle-orm";
import type { Session } from "../engine/session.ts";

/** What drizzle makes of a query, with placeholders for its values. */
export interface BuiltQuery {
  getQuery(): { sql: string; params: unknown[] };
}

const clientOf = ({ db }: Session): Database => (db as typeof db & { $client: Database }).$client;

/**
 * Reads what a query gives, whose last value is its limit. A limit that is written out lets SQLite plan for
 * it, which takes a third off; there are few different ones.
 */
export function sqliteQuery<Row>(
  session: Session,
  query: BuiltQuery,
  around: (text: string) => string = (text) => text,
): (values: { limit: number }) => Row[] {
  const { sql: text, params } = query.getQuery();
  const client = clientOf(session);
  const ofLimit = new Map<number, Statement<Row, SQLQueryBindings[]>>();
  return (values) => {
    let prepared = ofLimit.get(values.limit);
    if (!prepared)
      ofLimit.set(
        values.limit,
        (prepared = client.prepare(around(text.replace(/\?$/, String(values.limit))))),
      );
    return prepared.all(...(fillPlaceholders(params.slice(0, -1), { ...values }) as SQLQueryBindings[]));
  };
}

/** Reads the few cells that SQLite keeps in another form than the program, in place. */
export function rowDecoder<T extends Table>(table: T): (row: Record<string, unknown>) => InferSelectModel<T> {
  const changed = Object.entries<Column>(getTableColumns(table)).filter(
    ([, { dataType }]) => dataType === "boolean" || dataType === "json",
  );
  return (row) => {
    for (const [name, column] of changed)
      if (row[name] != null) row[name] = column.mapFromDriverValue(row[name]);
    return row as InferSelectModel<T>;
  };
}

/** Runs what gives nothing back. Its values all come by placeholders, and are as SQLite keeps them. */
export function sqliteWrite(
  session: Session,
  query: BuiltQuery,
): (values: Record<string, unknown>) => Promise<void> {
  const { sql: text, params } = query.getQuery();
  const statement = clientOf(session).prepare<unknown, SQLQueryBindings[]>(text);
  const names = params
    .map((param) => (is(param, Param) ? param.value : param))
    .map((value) => {
      if (!is(value, Placeholder)) throw new Error(`a value of ${text} is written into it`);
      return value.name;
    });
  return async (values) => void statement.run(...names.map((name) => values[name] as SQLQueryBindings));
}
