/** Tables of separated values, as `.csv` and `.tsv` files are. */
import Papa from "papaparse";

export interface TableText {
  /** The first columns. */
  header: string[];
  /** How many columns the header has. */
  columns: number;
  /** The first rows, each as long as the header. */
  rows: string[][];
  /** How many rows were read below the header. */
  count: number;
  /** Rows with more or fewer fields than the header. */
  uneven: number;
  delimiter: string;
  /** Whether the text has more than was read. */
  isCut: boolean;
}

const [rowsMax, columnsMax] = [500, 100];
/** Reading blocks the event loop. What is behind these is not read, so its rows are not counted. */
const [charactersMax, cellsMax] = [128 * 1024, 40_000];
/** A table is part of its page: so many characters, with those of markup, are at most 20 KB compressed. */
const [shownCharacters, markupOfCell] = [24_000, 4];
/** The separator is guessed from so many characters at the beginning. */
const guessedCharacters = 8 * 1024;
const separators = [",", ";", "\t", "|"];

/** Null for a text without a table: it has no second field. */
export function readTable(text: string): TableText | null {
  const options = { skipEmptyLines: "greedy", delimitersToGuess: separators } as const;
  const { delimiter } = Papa.parse<string[]>(text.slice(0, guessedCharacters), {
    ...options,
    preview: 20,
  }).meta;
  const rows: string[][] = [];
  let [count, uneven, cells] = [0, 0, 0];
  let header: string[] | undefined;
  let isCut = text.length > charactersMax;
  // Without the row that the cut goes through.
  const read = isCut ? text.slice(0, text.lastIndexOf("\n", charactersMax) + 1 || charactersMax) : text;
  Papa.parse<string[]>(read, {
    ...options,
    delimiter,
    step({ data: row }, parser) {
      cells += row.length;
      if (cells > cellsMax && header) {
        isCut = true;
        parser.abort();
      } else if (!header) header = row;
      else {
        count++;
        if (row.length !== header.length) uneven++;
        if (rows.length < rowsMax) rows.push(row.slice(0, columnsMax));
      }
    },
  });
  if (!header || header.length < 2) return null;
  const width = Math.min(columnsMax, header.length);
  return {
    header: header.slice(0, width),
    columns: header.length,
    rows: rowsThatFit(rows.map((row) => Array.from({ length: width }, (_, at) => row[at] ?? ""))),
    count,
    uneven,
    delimiter,
    isCut,
  };
}

/** The first rows, of which a page shows no more than is light to load. */
export function rowsThatFit(rows: string[][]): string[][] {
  let left = shownCharacters;
  const end = rows.findIndex((row) => {
    left -= row.reduce((sum, value) => sum + value.length + markupOfCell, 0);
    return left < 0;
  });
  return end < 0 ? rows : rows.slice(0, Math.max(1, end));
}

/** Whether the values of a column are numbers, which are aligned to the right. */
export const isNumeric = (rows: string[][], column: number): boolean =>
  rows.length > 0 && rows.every((row) => /^\s*(?:[-+−]?[\d.,' ]*\d%?)?\s*$/.test(row[column] ?? ""));
