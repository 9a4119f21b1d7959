/** A table that fits the terminal: it leaves out less important columns, then truncates the widest text. */
import { terminalWidth } from "./report.ts";
import { table, truncate } from "./table.ts";

export interface Column {
  head: string;
  /** Columns with a higher rank are left out first. Without one, the column always stays. */
  rank?: number;
  /** Can be truncated to the space that is left. */
  flexible?: true;
}

const gap = 2;
const flexibleWidthMin = 12;

/** A table that fits a width: ranked columns are left out, and flexible ones are cut. @param width in columns */
export function fittedTable(columns: Column[], rows: string[][], width = terminalWidth()): string {
  const shown = columns.map((column, index) => ({ ...column, index, width: widthOf(column, rows, index) }));
  const needed = () =>
    shown.reduce(
      (sum, column) =>
        sum + gap + (column.flexible ? Math.min(column.width, flexibleWidthMin) : column.width),
      -gap,
    );
  while (needed() > width) {
    const ranked = shown.filter(({ rank }) => rank !== undefined);
    if (ranked.length === 0) break;
    const least = ranked.reduce((a, b) => ((a.rank as number) > (b.rank as number) ? a : b));
    shown.splice(shown.indexOf(least), 1);
  }
  shrink(shown, width);
  return table(
    shown.map(({ head }) => head),
    rows.map((row) => shown.map((column) => truncate(row[column.index] ?? "", column.width))),
  );
}

const widthOf = ({ head }: Column, rows: string[][], index: number): number =>
  Math.max(Bun.stringWidth(head), ...rows.map((row) => Bun.stringWidth(row[index] ?? "")));

/** Narrows the flexible columns, the widest first, until the table fits. */
function shrink(columns: (Column & { width: number })[], width: number): void {
  const flexible = columns.filter((column) => column.flexible);
  let excess = columns.reduce((sum, column) => sum + gap + column.width, -gap) - width;
  while (excess > 0) {
    const widest = flexible.toSorted((a, b) => b.width - a.width)[0];
    if (!widest || widest.width <= flexibleWidthMin) return;
    widest.width--;
    excess--;
  }
}
