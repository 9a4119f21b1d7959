/** @jsxImportSource preact */
/** The filters above a list, and the heads of its columns, which sort it. */

import { urlWith } from "./view.ts";

export interface FilterField<Shown> {
  label: string;
  /** What it offers on a page that shows this. */
  options(shown: Shown, chosen: string | undefined): readonly string[];
  /** What a person reads for an option; the option itself by default. */
  nameOf?(option: string): string;
}

interface FiltersProps<Shown> {
  path: string;
  filters: Record<string, string>;
  /** By the name of the filter, in this order; null for one without a field. */
  fields: Record<string, FilterField<Shown> | null>;
  shown: Shown;
  /** Other query parameters, which a change of the filters keeps. */
  hidden?: Record<string, string>;
}

export const ListFilters = <Shown,>({ path, filters, fields, shown, hidden = {} }: FiltersProps<Shown>) => (
  <form class="filters" method="get" action={path}>
    {Object.entries(hidden).map(([name, value]) => (
      <input key={name} type="hidden" name={name} value={value} />
    ))}
    {Object.entries(fields).map(
      ([name, field]) =>
        field && (
          <label key={name}>
            {field.label}{" "}
            <select name={name}>
              <option value="">All</option>
              {field.options(shown, filters[name]).map((option) => (
                <option key={option} value={option} selected={option === filters[name]}>
                  {field.nameOf?.(option) ?? option}
                </option>
              ))}
            </select>
          </label>
        ),
    )}
    <button type="submit">Apply</button>
    {Object.keys(filters).length > 0 && (
      <a class="clear" href={`${path}${hidden.as ? `?as=${hidden.as}` : ""}`}>
        Clear
      </a>
    )}
  </form>
);

/** What a filter offers: the values on the page, and the one that is chosen. */
export const choicesOf = (values: readonly string[], chosen: string | undefined): string[] =>
  [...new Set(chosen === undefined ? values : [...values, chosen])].sort();

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
