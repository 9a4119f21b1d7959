/** @jsxImportSource preact */
/** The heads of the columns of a table, which sort it. */
import { urlWith } from "../view.ts";

/** A column of a table, and what it is sorted by: the default is the sort of a list without `sort`. */
export interface Column<Sort extends string> {
  label: string;
  sort?: Sort;
  order?: "ascending" | "descending";
}

interface ColumnHeadsProps<Sort extends string> {
  columns: readonly Column<Sort>[];
  byDefault: Sort;
  url: URL;
}

export function ColumnHeads<Sort extends string>({ columns, byDefault, url }: ColumnHeadsProps<Sort>) {
  const sorted = url.searchParams.get("sort") ?? byDefault;
  return (
    <tr>
      {columns.map(({ label, sort, order = "descending" }) => (
        <th scope="col" key={label} aria-sort={sort === sorted ? order : undefined}>
          {sort && sort !== sorted ? (
            <a href={urlWith(url, { sort: sort === byDefault ? null : sort, cursor: null })}>{label}</a>
          ) : (
            label
          )}
        </th>
      ))}
    </tr>
  );
}
