/** The values that an optimistic append inserts: those sent, and those that depend on the row of `head`. */
import { type Column, getTableColumns, type Table } from "drizzle-orm";
import { derivedRunIdPrefix } from "../../../src/feed/runs/rule.ts";
import { timeColumns } from "./time-window.ts";

/** The id of an event until it has one: below zero, and by its index less. */
export const expectedId = (index: number): number => -1 - index;
/** How the id of a run begins that such an event starts. */
export const unassignedRunId = `${derivedRunIdPrefix}-`;

/** The columns of an audit row that a request writes. */
export const auditColumns = [
  ...(["at", "who", "via", "what", "project", "target", "status", "address", "request"] as const),
] as const;

export const columnsOf = (table: Table): Column[] => Object.values<Column>(getTableColumns(table));

/** The value of a column in a JSON list. */
export const cell = (column: Column, index: number): string =>
  `cast(value ->> ${index} as ${column.getSQLType()})`;

const id = "head.id + 1 + sent.index";
const ts = "head.ts + sent.index";
/** The beginning of the JSON text of an event, as `renderEvent` writes it. */
const wireStart = `'{"id":' || ${id} || ',"ts":"' || to_char(timestamp '1970-01-01'
  + (${ts}) * interval '1 microsecond', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'`;

/** The values of the columns of events. */
export const eventValues = (table: Table): string =>
  columnsOf(table)
    .map((column, index) => {
      if (column.name === "id") return id;
      if (column.name === "ts") return ts;
      const value = cell(column, index);
      return column.name === "wire" ? `${wireStart} || ${value}` : value;
    })
    .join();

/**
 * The values of the columns of runs. Times of the append are shifted as those of its events.
 * @param start of the window of those times @param end beyond the window
 */
export function runValues(table: Table, start: string, end: string): string {
  const shifted = (time: string) =>
    `(${time} + case when ${time} >= ${start} and ${time} < ${end} then head.ts - ${start} else 0 end)`;
  // Times are the only numbers of 16 digits in it.
  const marks = (value: string) => `case when head.ts = ${start} then ${value} else (
    select string_agg(part[1] || case when part[2] = '' then '' else ${shifted("part[2]::bigint")}::text end,
      '' order by place)
    from regexp_matches(${value}, '(.*?)([0-9]{16}|$)', 'g') with ordinality as found (part, place)) end`;
  const startedId = (value: string) => `case when ${value} like '${unassignedRunId}%'
    then '${derivedRunIdPrefix}' || head.id - substr(${value}, ${derivedRunIdPrefix.length + 1})::bigint
    else ${value} end`;
  return columnsOf(table)
    .map((column, index) => {
      const value = cell(column, index);
      if (column.name === "marks") return marks(value);
      if (column.name === "id") return startedId(value);
      return (timeColumns as readonly string[]).includes(column.name) ? shifted(value) : value;
    })
    .join();
}
