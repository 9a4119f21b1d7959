/** The first rows of a table. It scrolls within itself. */
import type { ComponentChildren } from "preact";
import { pluralize } from "../../format.ts";
import { isNumeric } from "./table.ts";

interface TableProps {
  label: string;
  header: string[];
  rows: string[][];
  /** What the table leaves out. */
  note: ComponentChildren;
}

export function TableView({ label, header, rows, note }: TableProps) {
  const classes = header.map((_, column) => (isNumeric(rows, column) ? "amount" : undefined));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must be reachable by keyboard */}
      <section class="viewer table-view" tabIndex={0} aria-label={label}>
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                <span class="visually-hidden">Row</span>
              </th>
              {header.map((name, column) => (
                <th scope="col" key={column} class={classes[column]}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                <td class="number">{index + 1}</td>
                {row.map((value, column) => (
                  <td key={column} class={classes[column]}>
                    {value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="soft viewer-note">{note}</p>
    </>
  );
}

const delimiterNames: Record<string, string> = {
  ",": "commas",
  ";": "semicolons",
  "\t": "tabs",
  "|": "bars",
};

interface Counts {
  shown: number;
  count: number;
  /** Of the table, and how many of them are shown. */
  columns: number;
  shownColumns: number;
}

const counted = (count: number): string => count.toLocaleString("en-US");

/** `The first 500 of 1,204 rows, 8 columns` */
export const countsText = ({ shown, count, columns, shownColumns }: Counts, isCut = false): string =>
  [
    shown < count || isCut
      ? `The first ${counted(shown)} of ${isCut ? "more than " : ""}${counted(count)} rows`
      : pluralize(count, "row"),
    shownColumns < columns
      ? `the first ${shownColumns} of ${pluralize(columns, "column")}`
      : pluralize(columns, "column"),
  ].join(", ");

export const separatedBy = (delimiter: string): string =>
  `separated by ${delimiterNames[delimiter] ?? JSON.stringify(delimiter)}`;
