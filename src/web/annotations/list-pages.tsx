/** @jsxImportSource preact */
/** The pages of the list of annotations. */
import type { Annotation } from "../../annotations/schema.ts";
import { urlWith } from "../view.ts";

/** Query parameters: the page of the list, from 1, or the number of an annotation, whose page is shown. */
export const listParameter = "marks";
export const markParameter = "mark";
/** Query parameter with which the desk is only its annotations. */
export const partsParameter = "parts";
const perPage = 50;

export interface ListPage {
  page: number;
  pages: number;
  shown: Annotation[];
}

export function listPageOf(annotations: Annotation[], { searchParams }: URL): ListPage {
  const pages = Math.max(1, Math.ceil(annotations.length / perPage));
  const index = annotations.findIndex(({ n }) => String(n) === searchParams.get(markParameter));
  const named = Math.trunc(Number(searchParams.get(listParameter))) || 1;
  const page = index < 0 ? Math.min(pages, Math.max(1, named)) : Math.floor(index / perPage) + 1;
  return { page, pages, shown: annotations.slice((page - 1) * perPage, page * perPage) };
}

/**
 * The URL of an annotation's entry in the list, on whichever page of it. It stays the same when others are
 * added, so that their pins need not be drawn again.
 */
export function entryUrls(annotations: Annotation[], url: URL): (annotation: Annotation) => string {
  const hasPages = annotations.length > perPage;
  const pageOf = (n: number) => urlWith(url, { [listParameter]: null, [markParameter]: `${n}` });
  return ({ n }) => `${hasPages ? pageOf(n) : ""}#mark-${n}`;
}

export const ListPages = ({ page, pages, url }: { page: number; pages: number; url: URL }) => {
  const urlOf = (to: number) => urlWith(url, { [listParameter]: `${to}`, [markParameter]: null });
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
