/** The filters above a list, behind a button on phones, and a chip for each that is set. */
import type { ComponentChildren } from "preact";
import { Icon } from "../icons/icons.tsx";
import { EmptyState } from "../layout.tsx";
import { Notice } from "../notice.tsx";
import type { ScriptName } from "../static-files.ts";
import { urlWith } from "../view.ts";
import { Field, type FilterField, type FilterFields, nameOf, valuesOf } from "./fields.tsx";
import { type RefusedFilter, refusalText } from "./refused-filter.ts";

/** The script of pages with filters. */
export const listScript: ScriptName = "list.js";

interface FiltersProps {
  /** Of the page. */
  url: URL;
  fields: FilterFields;
  /** Other parameters, which a change of the filters keeps. */
  keeps?: readonly string[];
  refused?: RefusedFilter | undefined;
  /** Whether a change loads a new page, as scripts know the rows of this one. */
  loads?: boolean;
}

interface SetFilter {
  name: string;
  field: FilterField;
  value: string;
  values: string[];
}

const fieldsOf = (fields: FilterFields): [string, FilterField][] =>
  Object.entries(fields).flatMap(([name, field]) => (field ? [[name, field]] : []));

/** Each value of each filter that is set. */
const setFilters = ({ url, fields }: Pick<FiltersProps, "url" | "fields">): SetFilter[] =>
  fieldsOf(fields).flatMap(([name, field]) => {
    const values = valuesOf(field, url, name);
    return values
      .filter((value) => value !== field.byDefault)
      .map((value) => ({ name, field, value, values }));
  });

export const isFiltered = (url: URL, fields: FilterFields): boolean => setFilters({ url, fields }).length > 0;

export function ListFilters(props: FiltersProps) {
  const { url, fields, keeps = [], refused, loads = false } = props;
  const count = setFilters(props).length;
  return (
    <>
      <a class="skip" href="#found">
        Skip to the list
      </a>
      <details class="filter-box" open={refused !== undefined}>
        <summary>
          <Icon name="sliders" /> Filters <span data-chosen="filters">{count || null}</span>
        </summary>
        <form
          class="filters"
          id="filters"
          method="get"
          action={url.pathname}
          autocomplete="off"
          data-load={loads || refused ? "" : undefined}
        >
          {keeps.map((name) => {
            const value = url.searchParams.get(name);
            return value && <input key={name} type="hidden" name={name} value={value} />;
          })}
          {fieldsOf(fields).map(([name, field]) => {
            const values = valuesOf(field, url, name);
            return (
              <Field
                key={name}
                name={name}
                field={field}
                values={values}
                error={refused?.name === name ? refusalText(field, values.join(", "), refused) : undefined}
              />
            );
          })}
          <button type="submit">Apply</button>
        </form>
      </details>
    </>
  );
}

interface FoundProps extends FiltersProps {
  children: ComponentChildren;
}

/** What the filters found, below their chips: the part of the page that a script replaces. */
export const Found = ({ children, ...props }: FoundProps) => (
  <div id="found" tabIndex={-1}>
    <Chips {...props} />
    {props.refused ? <Refused refused={props.refused} /> : children}
  </div>
);

/** Each chip is a link to the list without its filter. */
function Chips({ url, fields, keeps = [] }: FiltersProps) {
  const chips = setFilters({ url, fields });
  if (chips.length === 0) return null;
  const cleared = Object.fromEntries(
    [...new Set(url.searchParams.keys())].filter((name) => !keeps.includes(name)).map((name) => [name, null]),
  );
  return (
    <ul class="filter-chips" aria-label="Active filters">
      {chips.map(({ name, field, value, values }) => (
        <li key={`${name} ${value}`}>
          <a
            class="chip"
            href={urlWith(url, {
              [name]: values.filter((one) => one !== value).join() || null,
              ...Object.fromEntries(pageParameters.map((one) => [one, null])),
            })}
          >
            <span class="visually-hidden">Remove the filter</span> {field.label}:{" "}
            <bdi>{nameOf(field, value)}</bdi> <Icon name="cross" />
          </a>
        </li>
      ))}
      <li>
        <a href={urlWith(url, cleared)}>Clear all</a>
      </li>
      <li>
        <a href={`/views?of=${encodeURIComponent(url.pathname + url.search)}`}>Save this view</a>
      </li>
    </ul>
  );
}

/** They name a page of a list, and mean nothing in another list. */
const pageParameters = ["cursor", "before", "after"];

const Refused = ({ refused: { name, detail } }: { refused: RefusedFilter }) =>
  name === null ? (
    <Notice text={detail.replaceAll("`", "")} />
  ) : (
    <EmptyState title="Nothing is shown: a filter is not valid.">
      <p>Correct the marked field, or remove its filter.</p>
    </EmptyState>
  );
