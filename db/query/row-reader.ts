/**
 * Reads rows from Postgres without drizzle's row mapping, which takes as long as the rest of a page
 * (`bun run bench feed`).
 */
import type { SQL } from "bun";
import { Column, SQL as Fragment, is } from "drizzle-orm";
import { streamBatchMax } from "../../src/feed/port.ts";
import type { PreparedQuery, Values } from "../dialect/client.ts";
import { noLimit, parameterLister } from "./statements.ts";

type Field = Column | Fragment | Fragment.Aliased;

/** What a prepared query of drizzle holds: its connection, and its columns in order. */
interface Internals {
  client: Pick<SQL, "unsafe">;
  fields: { path: string[]; field: Field }[];
}

type Decode = (value: unknown) => unknown;

/**
 * Limits that are inlined as literals: those of pages of 50, 100 and 200, which read one row more, of what
 * the inbox, briefs, and merges read, and of a batch of the live stream. If the limit is a parameter,
 * Postgres plans the statement again at each call, as its generic plan expects a tenth of the table. That
 * took a quarter of the CPU of a page (`bun run bench feed`) and half the time of a batch of a long log
 * (`bun run bench growth-postgres`). They are few, because each text stays prepared on its connection.
 */
const inlinedLimits = [1, 10, 50, 51, 65, 100, 101, 200, 201, 400, 500, streamBatchMax, noLimit];

/** Returns a function that runs a query of columns that are not nested. Its last parameter is its limit. */
export function rowReader<R>(query: PreparedQuery): (values: Values & { limit: number }) => Promise<R[]> {
  const { sql: text, params } = query.getQuery();
  const valuesWithoutLimit = parameterLister(params.slice(0, -1));
  // Bun.SQL prepares and pipelines only statements with parameters, so one has to be left.
  const limits = params.length > 1 ? inlinedLimits : [];
  const textOf = new Map(limits.map((limit) => [limit, text.replace(/\$\d+(?=[^$]*$)/, String(limit))]));
  const { client, fields } = query as unknown as Internals; // safe because: it is a query of drizzle
  const valuesOf = parameterLister(params);
  const names = fields.map(({ path: [name] }) => name as string);
  const decoders = fields.map(({ field }) => decoderOf(field));
  const toRow = (cells: unknown[]): R => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index++) {
      const cell = cells[index];
      const decode = decoders[index];
      row[names[index] as string] = cell === null || !decode ? cell : decode(cell);
    }
    return row as R;
  };
  return async (values) => {
    const inlined = textOf.get(values.limit);
    const statement = inlined
      ? client.unsafe(inlined, valuesWithoutLimit(values))
      : client.unsafe(text, valuesOf(values));
    const rows: unknown[][] = await statement.values();
    return rows.map(toRow);
  };
}

/** @returns null for a column whose values are returned as they are */
function decoderOf(field: Field): Decode | null {
  const decoder = is(field, Column) ? field : decoderOfFragment(is(field, Fragment) ? field : field.sql);
  const { mapFromDriverValue } = decoder;
  if (mapFromDriverValue === Column.prototype.mapFromDriverValue) return null;
  return (value) => decoder.mapFromDriverValue(value);
}

/** drizzle keeps it to itself. */
const decoderOfFragment = (fragment: Fragment): { mapFromDriverValue: Decode } =>
  (fragment as unknown as { decoder: { mapFromDriverValue: Decode } }).decoder;
