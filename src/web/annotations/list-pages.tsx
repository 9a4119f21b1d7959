/** The pages of the list of annotations. */
import { type Annotation, type State, unsettledStates } from "../../library/annotations/schema.ts";
import { urlWith } from "../view.ts";

/** Query parameters: the page of the list, from 1, or the number of an annotation, whose page is shown. */
export const listParameter = "marks";
export const markParameter = "mark";
/** Query parameter of the states that are listed. */
export const showParameter = "show";
/** Query parameter with which the desk is only its annotations. */
export const partsParameter = "parts";
const perPage = 50;
/** A shorter list needs no filters. */
const filteredMin = 10;

const filters: Record<string, { label: string; states: readonly State[] }> = {
  open: { label: "Open", states: unsettledStates },
  drafts: { label: "Drafts", states: ["draft"] },
  settled: { label: "Settled", states: ["honoured", "withdrawn"] },
};
type Filter = keyof typeof filters;

export interface ListPage {
  /** Null for all states. */
  filter: Filter | null;
  page: number;
  pages: number;
  shown: Annotation[];
}

const isIn = ({ state }: Annotation, filter: Filter | null): boolean =>
  filter === null || (filters[filter]?.states.includes(state) ?? true);

/** The page that the URL names. An annotation that it names is shown whatever its state is. */
export function listPageOf(annotations: Annotation[], { searchParams }: URL): ListPage {
  const marked = annotations.find(({ n }) => String(n) === searchParams.get(markParameter));
  const named = searchParams.get(showParameter);
  const filter = named !== null && filters[named] && (!marked || isIn(marked, named)) ? named : null;
  const listed = annotations.filter((annotation) => isIn(annotation, filter));
  const pages = Math.max(1, Math.ceil(listed.length / perPage));
  const number = Math.trunc(Number(searchParams.get(listParameter))) || 1;
  const page = marked
    ? Math.floor(listed.indexOf(marked) / perPage) + 1
    : Math.min(pages, Math.max(1, number));
  return { filter, page, pages, shown: listed.slice((page - 1) * perPage, page * perPage) };
}

interface ListFiltersProps {
  annotations: Annotation[];
  filter: Filter | null;
  url: URL;
}

/** Links that list annotations of some states only. */
export function ListFilters({ annotations, filter, url }: ListFiltersProps) {
  if (annotations.length < filteredMin) return null;
  const links = [null, ...Object.keys(filters)].map((name) => ({
    name,
    label: (name && filters[name]?.label) ?? "All",
    count: annotations.filter((annotation) => isIn(annotation, name)).length,
  }));
  return (
    <nav class="mark-filters" aria-label="States of annotations">
      {links
        .filter(({ name, count }) => count > 0 || name === filter)
        .map(({ name, label, count }) => (
          <a
            key={label}
            href={urlWith(url, { [showParameter]: name, [listParameter]: null, [markParameter]: null })}
            data-marks-page="filter"
            aria-current={name === filter ? "true" : undefined}
          >
            {label} <span class="soft">{count}</span>
          </a>
        ))}
    </nav>
  );
}

/**
 * The URL of an annotation's entry in the list, on whichever page of it. It stays the same when others are
 * added, so that their pins need not be drawn again.
 */
export function entryUrls(annotations: Annotation[], url: URL): (annotation: Annotation) => string {
  const hasPages = annotations.length > perPage;
  const pageOf = (n: number) =>
    urlWith(url, { [listParameter]: null, [showParameter]: null, [markParameter]: `${n}` });
  return ({ n }) => `${hasPages ? pageOf(n) : ""}#mark-${n}`;
}

export const ListPages = ({ page, pages, filter, url }: Omit<ListPage, "shown"> & { url: URL }) => {
  const urlOf = (to: number) =>
    urlWith(url, { [listParameter]: `${to}`, [showParameter]: filter, [markParameter]: null });
  return (
    <nav class="mark-pages" aria-label="Pages of annotations">
      {page > 1 && (
        <a href={urlOf(page - 1)} data-marks-page="previous">
          Previous
        </a>
      )}
      <span class="soft">
        Page {page} of {pages}
      </span>
      {page < pages && (
        <a href={urlOf(page + 1)} data-marks-page="next">
          Next
        </a>
      )}
    </nav>
  );
};
