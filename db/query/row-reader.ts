/**
 * Reads rows from Postgres without drizzle's row mapping, which takes as long as the rest of a page
 * (`bun run bench feed`).
 */
import type { SQL } from "bun";
import { Column, SQL as Fragment, is } from "drizzle-orm";
import type { PreparedQuery, Values } from "../dialect/client.ts";
import { parameterLister } from "./parameters.ts";

type Field = Column | Fragment | Fragment.Aliased;

/** What a prepared query of drizzle holds: its connection, and its columns in order. */
interface Internals {
  client: Pick<SQL, "unsafe">;
  fields: { path: string[]; field: Field }[];
}

type Decode = (value: unknown) => unknown;

/** Returns a function that runs a query of columns that are not nested. */
export function rowReader<R>(query: PreparedQuery): (values: Values) => Promise<R[]> {
  const { sql: text, params } = query.getQuery();
  const { client, fields } = query as unknown as Internals; // safe because: it is a query of drizzle
  const valuesOf = parameterLister(params);
  const names = fields.map(({ path: [name] }) => name as string);
  const decoders = fields.map(({ field }) => decoderOf(field));
  const toRow = (cells: unknown[]): R => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index++) {
      const cell = cells[index];
      row[names[index] as string] = cell === null ? null : (decoders[index] as Decode)(cell);
    }
    return row as R;
  };
  return async (values) => {
    const rows: unknown[][] = await client.unsafe(text, valuesOf(values)).values();
    return rows.map(toRow);
  };
}

function decoderOf(field: Field): Decode {
  const decoder = is(field, Column) ? field : decoderOfFragment(is(field, Fragment) ? field : field.sql);
  return (value) => decoder.mapFromDriverValue(value);
}

/** drizzle keeps it to itself. */
const decoderOfFragment = (fragment: Fragment): { mapFromDriverValue: Decode } =>
  (fragment as unknown as { decoder: { mapFromDriverValue: Decode } }).decoder;
