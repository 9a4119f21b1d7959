/** The filters of the feed: one table, from which every surface and the SQL take them. */
import { type Static, type TOptional, type TSchema, Type } from "@sinclair/typebox";
import {
  Actor,
  Lane,
  OneOrMore,
  PersonId,
  RunId,
  Slug,
  TaskKey,
  TaskNumber,
  TeamName,
  valuesOf,
} from "../core/wire.ts";
import { type Event, EventKind } from "./schema.ts";

export interface FeedFilterRow<T extends TSchema = TSchema> {
  schema: T;
  /** Label in forms. */
  label: string;
  /**
   * `facet`: few distinct values; events are also listed by the combination of all facets, see
   * db/feed/facets.ts. `owner`: a facet of work that belongs to someone; events have no column and no index
   * for it, so that an append costs the same. `selective`: few events have the same value; its index is
   * `(value, ts, project)`. `key`: rows have a number for it, in the column of `issue`; see task-key.ts.
   */
  cardinality: "facet" | "owner" | "selective" | "key";
}
/** A facet filter takes several values: an event matches if it has one of them. */
const filter = <T extends TSchema, const C extends FeedFilterRow["cardinality"]>(
  cardinality: C,
  label: string,
  schema: T,
) => ({ cardinality, label, schema });

/**
 * The filters of the feed, by the field of Event they compare. HTTP, MCP, the command line, the web pages and
 * the SQL are derived from this table.
 */
export const feedFilters = {
  project: filter("facet", "Project", Slug),
  kind: filter("facet", "Kind", EventKind),
  actor: filter("facet", "Actor", Actor),
  lane: filter("facet", "Workstream", Lane),
  team: filter("owner", "Team", TeamName),
  person: filter("owner", "Person", PersonId),
  run_id: filter("selective", "Run", RunId("Run id.")),
  issue: filter("selective", "Issue", { ...TaskNumber, description: "Issue number." }),
  pr: filter("selective", "Pull request", { ...TaskNumber, description: "Pull request number." }),
  task: filter("key", "Task key", TaskKey),
} as const satisfies Partial<Record<keyof Event, FeedFilterRow>>;

export type FeedFilterName = keyof typeof feedFilters;
type NamesOf<C extends FeedFilterRow["cardinality"]> = {
  [N in FeedFilterName]: (typeof feedFilters)[N]["cardinality"] extends C ? N : never;
}[FeedFilterName];

export const feedFilterNames = Object.keys(feedFilters) as FeedFilterName[];
const filtersWith = <C extends FeedFilterRow["cardinality"]>(cardinality: C) =>
  feedFilterNames.filter((name) => feedFilters[name].cardinality === cardinality) as NamesOf<C>[];
/** The facets that events have a column for. */
export const columnFilters = filtersWith("facet");
export const ownerFilters = filtersWith("owner");
/** All that tell a facet from another. */
export const facetFilters = [...columnFilters, ...ownerFilters];
export const selectiveFilters = filtersWith("selective");

type ValueOf<N extends FeedFilterName> = Static<(typeof feedFilters)[N]["schema"]>;
export type FeedFilter = {
  -readonly [N in FeedFilterName]?: N extends NamesOf<"selective" | "key">
    ? ValueOf<N>
    : ValueOf<N> | ValueOf<N>[];
};

/** Returns only the filters of a query, so that equal filters are equal as JSON. */
export function pickFilters(query: FeedFilter): FeedFilter {
  const picked: Record<string, string | number | (string | number)[]> = {};
  for (const name of feedFilterNames) {
    if (query[name] === undefined) continue;
    const values = [...new Set(valuesOf<string | number>(query[name]))].toSorted();
    const [first] = values;
    if (first !== undefined) picked[name] = values.length === 1 ? first : values;
  }
  return picked;
}

const isSingle = (cardinality: FeedFilterRow["cardinality"]): boolean =>
  cardinality === "selective" || cardinality === "key";

/** The filters as optional fields of a query. */
export const filterFields = Object.fromEntries(
  feedFilterNames.map((name) => {
    const { schema, cardinality } = feedFilters[name];
    return [name, Type.Optional(isSingle(cardinality) ? schema : OneOrMore(schema))];
  }),
) as {
  [N in FeedFilterName]: TOptional<
    N extends NamesOf<"selective" | "key">
      ? (typeof feedFilters)[N]["schema"]
      : ReturnType<typeof OneOrMore<(typeof feedFilters)[N]["schema"]>>
  >;
};
