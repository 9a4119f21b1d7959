/** A table of rows. Where it is narrow, each row is a block: its name, and below it the labeled cells. */
import type { ComponentChildren } from "preact";
import { urlWith } from "../view.ts";

/** A column of a table, and what it is sorted by: the default is the sort of a list without `sort`. */
export interface Column<Row, Sort extends string = never> {
  label: string;
  cell(row: Row): ComponentChildren;
  class?: string;
  /** Whether it says what the row is about. */
  isName?: boolean;
  sort?: Sort;
  order?: "ascending" | "descending";
}

interface Sorting<Sort extends string> {
  url: URL;
  byDefault: Sort;
}

interface TableProps<Row, Sort extends string> {
  label: string;
  columns: readonly Column<Row, Sort>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
  class?: string;
  /** Where columns sort. */
  sorting?: Sorting<Sort>;
  /** Whether it has few columns, which stay columns on a phone. */
  isSmall?: boolean;
}

export const Table = <Row, Sort extends string = never>({
  label,
  columns,
  rows,
  keyOf,
  class: name,
  sorting,
  isSmall = false,
}: TableProps<Row, Sort>) => (
  <section
    class={["wide-table", isSmall ? "" : "stacks", name].filter(Boolean).join(" ")}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access
    tabIndex={0}
    aria-label={label}
  >
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <Head key={column.label} column={column} sorting={sorting} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>{columns.map((column) => cellOf(column, row))}</tr>
        ))}
      </tbody>
    </table>
  </section>
);

interface HeadProps<Row, Sort extends string> {
  column: Column<Row, Sort>;
  sorting: Sorting<Sort> | undefined;
}

function Head<Row, Sort extends string>({ column, sorting }: HeadProps<Row, Sort>) {
  const { label, sort, order = "descending", class: name } = column;
  if (!sort || !sorting)
    return (
      <th scope="col" class={name}>
        {label}
      </th>
    );
  const { url, byDefault } = sorting;
  const isSorted = sort === (url.searchParams.get("sort") ?? byDefault);
  return (
    <th scope="col" class={name ? `sorts ${name}` : "sorts"} aria-sort={isSorted ? order : undefined}>
      {isSorted ? (
        label
      ) : (
        <a href={urlWith(url, { sort: sort === byDefault ? null : sort, cursor: null })}>{label}</a>
      )}
    </th>
  );
}

/** No component: a table has hundreds of cells. */
function cellOf<Row, Sort extends string>(column: Column<Row, Sort>, row: Row) {
  const { label, cell, class: name, isName = false } = column;
  if (isName)
    return (
      <th key={label} scope="row" class={name}>
        {cell(row)}
      </th>
    );
  return (
    <td key={label} class={name} data-label={label}>
      {cell(row)}
    </td>
  );
}
