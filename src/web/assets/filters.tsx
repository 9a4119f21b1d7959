/** The filters of the library in its form and in URLs. */
import { AssetsQuery } from "../../library/assets/requests.ts";
import { AssetKind, AssetStatus, listOrders } from "../../library/assets/schema.ts";
import { capitalize } from "../format.ts";
import type { FilterField } from "../lists/fields.tsx";
import { filtersOf } from "../view.ts";
import { kindRows } from "./kinds.ts";

type FilterName = Exclude<keyof AssetsQuery, "limit" | "cursor">;

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

const orderNames = { newest: "Newest", oldest: "Oldest", title: "Title" };

/** The field of each filter, in this order. Null: pages do not have the filter. */
export const assetFields = (
  slugs: readonly string[],
  hasSets = true,
): Record<FilterName, FilterField | null> => ({
  query: { label: "Search", as: "search", placeholder: "title, tag, file" },
  project: { label: "Project", options: slugs },
  status: { label: "Status", options: AssetStatus.enum as string[] },
  kind: {
    label: "Kind",
    options: AssetKind.enum as string[],
    nameOf: (kind) => kindRows[kind as AssetKind]?.title ?? kind,
  },
  issue: { label: "Issue", as: "number", placeholder: "#" },
  pr: { label: "Pull request", as: "number", placeholder: "#" },
  task: { label: "Task key", placeholder: "PROJ-123" },
  set: hasSets ? { label: "Set", placeholder: "name" } : null,
  versions: { label: "Versions", options: ["newest", "all"], byDefault: "newest", nameOf: capitalize },
  order: {
    label: "Sort",
    options: [...listOrders],
    byDefault: "newest",
    nameOf: (order) => orderNames[order as (typeof listOrders)[number]] ?? order,
  },
  sha256: null,
  file_sha256: null,
});

export const assetFilters: readonly string[] = Object.entries(assetFields([])).flatMap(([name, field]) =>
  field ? [name] : [],
);

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
