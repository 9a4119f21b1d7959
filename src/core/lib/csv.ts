/** CSV (RFC 4180) that is safe to open in a spreadsheet. */
import type { TSchema } from "@sinclair/typebox";

export type Cell = string | number | boolean | null | undefined;

/** Characters that make a spreadsheet read a cell as a formula; their full-width forms do too in some. */
const formulaStart = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;

/** A quoted text, an apostrophe before it if a spreadsheet could read it as a formula. */
const cellText = (value: Cell): string =>
  typeof value === "string"
    ? `"${value.replace(formulaStart, "'$&").replaceAll('"', '""')}"`
    : String(value ?? "");

/** A header line and a line for each row, separated by CRLF. */
function toCsv(columns: readonly string[], rows: Iterable<readonly Cell[]>): string {
  let text = `${columns.join(",")}\r\n`;
  for (const row of rows) text += `${row.map(cellText).join(",")}\r\n`;
  return text;
}

/** The columns of a row's schema: its fields in order, and `parent.field` for those of an object in it. */
export const columnsOf = (schema: TSchema): string[] =>
  Object.entries<TSchema>(schema.properties).flatMap(([name, field]) => {
    const nested = [field, ...((field.anyOf as TSchema[] | undefined) ?? [])].find((one) => one.properties);
    return nested ? columnsOf(nested).map((column) => `${name}.${column}`) : [name];
  });

/** Rows of a schema as CSV; a missing object leaves its columns empty. */
export function rowsToCsv(schema: TSchema, rows: readonly object[]): string {
  const columns = columnsOf(schema);
  const pathOf = columns.map((column) => column.split("."));
  const cellOf = (row: object, path: string[]): Cell =>
    path.reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], row) as Cell;
  return toCsv(
    columns,
    rows.map((row) => pathOf.map((path) => cellOf(row, path))),
  );
}

/** The headers of a CSV response. @param filename of the download; absent: shown by a client that can */
export const csvHeaders = (filename?: string): Record<string, string> => ({
  "content-type": "text/csv; charset=utf-8",
  ...(filename !== undefined && { "content-disposition": `attachment; filename="${filename}"` }),
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
});
