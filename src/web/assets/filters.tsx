/** @jsxImportSource preact */
/** The filters of the library in its form and in URLs. */
import type { VNode } from "preact";
import { AssetsQuery } from "../../library/assets/requests.ts";
import { AssetKind, AssetStatus } from "../../library/assets/schema.ts";
import { Select } from "../layout.tsx";
import { filtersOf } from "../view.ts";

type FilterName = Exclude<keyof AssetsQuery, "limit" | "cursor">;
type Field = (props: { value: string | undefined; slugs: string[] }) => VNode | false | "" | undefined;

interface TaskFieldProps {
  name: string;
  label: string;
  value?: string | undefined;
}

export const TaskField = ({ name, label, value }: TaskFieldProps) => (
  <label>
    {label}{" "}
    <input name={name} inputMode="numeric" pattern="[0-9]*" size={7} value={value ?? ""} placeholder="#" />
  </label>
);

/** The field of each filter, in this order. Null: pages do not have the filter. */
const fields: Record<FilterName, Field | null> = {
  project: ({ value, slugs }) =>
    slugs.length > 0 && <Select name="project" label="Project" value={value} options={slugs} />,
  status: ({ value }) => (
    <Select name="status" label="Status" value={value} options={AssetStatus.enum as string[]} />
  ),
  kind: ({ value }) => <Select name="kind" label="Kind" value={value} options={AssetKind.enum as string[]} />,
  issue: ({ value }) => <TaskField name="issue" label="Issue" value={value} />,
  pr: ({ value }) => <TaskField name="pr" label="Pull request" value={value} />,
  set: ({ value }) => (
    <label>
      Set <input name="set" size={12} maxLength={128} value={value ?? ""} placeholder="name" />
    </label>
  ),
  order: ({ value }) => value && <input type="hidden" name="order" value={value} />,
  sha256: null,
  file_sha256: null,
};
const shown = Object.entries(fields).flatMap(([name, Field]) => (Field ? [{ name, Field }] : []));

export const assetFilters: readonly string[] = shown.map(({ name }) => name);

/** Converts numeric filters to numbers. Anything else is passed on, and the operation rejects it. */
export const withNumbers = (filters: Record<string, string>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [
      name,
      AssetsQuery.properties[name as FilterName].type === "integer" && /^\d+$/.test(value)
        ? Number(value)
        : value,
    ]),
  );

/** The asset filters of a URL as a query string with its `?`, or an empty string. */
export function filterQuery(url: URL, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...filtersOf(url, assetFilters), ...more }).toString();
  return query && `?${query}`;
}

interface FiltersProps {
  filters: Record<string, string>;
  slugs: string[];
  as: string | null;
}

export const Filters = ({ filters, slugs, as }: FiltersProps) => (
  <form class="filters" method="get" action="/assets">
    {shown.map(({ name, Field }) => Field({ value: filters[name], slugs }))}
    {as && <input type="hidden" name="as" value={as} />}
    <button type="submit">Apply</button>
    {Object.keys(filters).length > 0 && (
      <a class="clear" href="/assets">
        Clear
      </a>
    )}
  </form>
);
