/** Tables of separated values, as `.csv` and `.tsv` files are. */
import Papa from "papaparse";

export interface TableText {
  header: string[];
  /** The first rows, each as long as the header. */
  rows: string[][];
  /** How many rows the text has below its header. */
  count: number;
  /** Rows with more or fewer fields than the header. */
  uneven: number;
  delimiter: string;
}

const [rowsMax, columnsMax] = [500, 100];

/** Null for a text without a table: it has no second field. */
export function readTable(text: string): TableText | null {
  const { data, meta } = Papa.parse<string[]>(text, {
    skipEmptyLines: "greedy",
    delimitersToGuess: [",", ";", "\t", "|"],
  });
  const [header, ...rows] = data;
  if (!header || header.length < 2) return null;
  const width = Math.min(columnsMax, header.length);
  return {
    header: header.slice(0, width),
    rows: rows.slice(0, rowsMax).map((row) => Array.from({ length: width }, (_, at) => row[at] ?? "")),
    count: rows.length,
    uneven: rows.filter((row) => row.length !== header.length).length,
    delimiter: meta.delimiter,
  };
}

/** Whether the values of a column are numbers, which are aligned to the right. */
export const isNumeric = (rows: string[][], column: number): boolean =>
  rows.length > 0 && rows.every((row) => /^\s*(?:[-+−]?[\d.,' ]*\d%?)?\s*$/.test(row[column] ?? ""));
