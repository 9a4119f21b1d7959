/** Two Parquet files compared row by row, as far as their rows were read, which the page says. */
import type { TableContents } from "../../../files/probe/table/schema.ts";
import { countsText } from "../text/table-view.tsx";
import { diffLines, type LineDiff } from "./text-diff.tsx";

/** A row as a line. */
const lineOf = (row: readonly string[]): string =>
  `${row.map((cell) => cell.replace(/\s+/g, " ")).join(" | ")}\n`;

const isCut = ({ header, rows, count, columns }: TableContents): boolean =>
  rows.length < count || header.length < columns;

/** @param older null: it could not be read */
export function diffTables(older: TableContents | null = null, newer: TableContents | null = null): LineDiff {
  if (!older || !newer) return { why: "One of these files cannot be read as a table." };
  const [before, after] = [older, newer].map(({ header, rows }) => [header, ...rows].map(lineOf).join(""));
  const diff = diffLines(before ?? "", after ?? "");
  const cut = [older, newer].filter(isCut).map(({ header, rows, count, columns }) => {
    const counts = { shown: rows.length, count, columns, shownColumns: header.length };
    return countsText(counts);
  });
  if ("why" in diff || cut.length === 0) return diff;
  return {
    ...diff,
    note: `Not all was compared. ${[...new Set(cut)].join("; ")}. Download both to compare the rest.`,
  };
}
