/** Text in columns, measured by display width instead of string length. */

import { terminalWidth } from "./terminal.ts";

/** Truncates text to `width` columns with an ellipsis, at a grapheme boundary. */
export function truncate(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  if (width < 1) return "";
  let head = "";
  let used = 1;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    used += Bun.stringWidth(segment);
    if (used > width) break;
    head += segment;
  }
  return `${head}…`;
}

/** Pads text with spaces to `width` columns. */
export const pad = (text: string, width: number): string =>
  text + " ".repeat(Math.max(0, width - Bun.stringWidth(text)));

/** Formats aligned columns under headings, two spaces apart. */
export function table(heads: string[], rows: string[][]): string {
  const widths = heads.map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column] ?? "")].map((cell) => Bun.stringWidth(cell))),
  );
  return [heads, ...rows]
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Formats a count with its noun: 1 event, 2 events. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** Formats a count: 950, 18.2k, 1.4M. */
export function formatCount(count: number): string {
  if (count < 1_000) return String(count);
  const [divisor, unit] =
    count < 999_950 ? [1_000, "k"] : count < 999_950_000 ? [1_000_000, "M"] : [1_000_000_000, "G"];
  const value = count / (divisor as number);
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, "") : Math.round(value)}${unit}`;
}

/** Formats a duration in milliseconds: 340ms, 12s, 3m12s, 2h05m, 4d3h. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${ms}ms`;
  const seconds = Math.floor(ms / 1_000);
  const twoDigits = (value: number) => String(value).padStart(2, "0");
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m${twoDigits(seconds % 60)}s`;
  if (seconds < 86_400)
    return `${Math.floor(seconds / 3_600)}h${twoDigits(Math.floor((seconds % 3_600) / 60))}m`;
  return `${Math.floor(seconds / 86_400)}d${Math.floor((seconds % 86_400) / 3_600)}h`;
}

/** Formats an age in milliseconds: now, 12s ago, 3m ago, 4d ago. */
export const formatAge = (ms: number): string =>
  ms < 1_000 ? "now" : `${formatDuration(ms).replace(/(?<=\d[mhd]).+/, "")} ago`;

/** A table that fits the terminal: it leaves out less important columns, then truncates the widest text. */
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

/** Breaks text into lines between words. */

/** Lines of at most `width` columns; a longer word stays whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").filter(Boolean)) {
    if (line && Bun.stringWidth(line) + 1 + Bun.stringWidth(word) > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return line ? [...lines, line] : lines;
}

/** Wraps each line of a text, with `indent` before all lines. */
export const wrapIndented = (text: string, width: number, indent: string): string[] =>
  text.split("\n").flatMap((line) => {
    const fits = Bun.stringWidth(line) <= width - indent.length;
    return (fits ? [line] : wrap(line, width - indent.length)).map((part) => indent + part);
  });
