/** @jsxImportSource preact */
/** The annotations of a version beside its viewer: open ones of earlier versions, the list, and the form. */
import type { Annotation } from "../../annotations/schema.ts";
import type { Asset } from "../../assets/schema.ts";
import { urlWith } from "../view.ts";
import { AnnotationForm, type RefusedAnnotation } from "./annotation-form.tsx";
import { AnnotationItem } from "./annotation-item.tsx";
import type { AnnotationForms, AssetAnnotations } from "./asset-annotations.ts";

interface AnnotationsProps extends AssetAnnotations {
  asset: Asset;
  forms: AnnotationForms;
  /** URL of the page, for the pages of the list. */
  url: URL;
  refused?: RefusedAnnotation | undefined;
}

/** Query parameter of the page of the list, from 1. */
export const listParameter = "marks";
const perPage = 50;
/** Names the last page, whatever its number is. */
const lastPage = "last";

/** The page of the list that a new annotation is on; null while one page is enough. */
export const listPageOf = ({ n }: Annotation): string | null => (n > perPage ? lastPage : null);

function pageShown(url: URL, pages: number): number {
  const named = url.searchParams.get(listParameter);
  if (named === lastPage) return pages;
  return Math.min(pages, Math.max(1, Math.trunc(Number(named)) || 1));
}

/** The URL of an annotation's entry in the list, on whichever page it is. */
export function entryUrls(annotations: Annotation[], url: URL): (annotation: Annotation) => string {
  const pages = Math.max(1, Math.ceil(annotations.length / perPage));
  const shown = pageShown(url, pages);
  const pageOf = new Map(annotations.map(({ id }, index) => [id, Math.floor(index / perPage) + 1]));
  return ({ id, n }) => {
    const page = pageOf.get(id) ?? shown;
    return `${page === shown ? "" : urlWith(url, { [listParameter]: String(page) })}#mark-${n}`;
  };
}

export function Annotations({ asset, annotations, replies, forms, url, refused }: AnnotationsProps) {
  const pages = Math.max(1, Math.ceil(annotations.length / perPage));
  const page = pageShown(url, pages);
  const shown = annotations.slice((page - 1) * perPage, page * perPage);
  return (
    <section class="annotations" id="annotations" aria-label="Annotations">
      <h2>Annotations {annotations.length > 0 && <span class="soft">{annotations.length}</span>}</h2>
      {annotations.length === 0 && <p class="soft">{emptyText(asset, forms)}</p>}
      {forms.canAdd && <AnnotationForm asset={asset} {...{ forms, refused }} />}
      {shown.length > 0 && (
        <ol class="marks">
          {shown.map((annotation) => (
            <AnnotationItem
              key={annotation.id}
              {...{ annotation, forms }}
              replies={replies.get(annotation.id) ?? []}
            />
          ))}
        </ol>
      )}
      {pages > 1 && <ListPages {...{ page, pages, url }} />}
    </section>
  );
}

const emptyText = ({ kind }: Asset, { canAdd }: AnnotationForms): string =>
  canAdd && kind !== "file" && kind !== "audio"
    ? "No annotations yet. Mark a place, or comment on the whole file."
    : "No annotations yet.";

const ListPages = ({ page, pages, url }: { page: number; pages: number; url: URL }) => (
  <nav class="mark-pages" aria-label="Pages of annotations">
    {page > 1 && (
      <a href={urlWith(url, { [listParameter]: `${page - 1}` })} data-marks-page="previous">
        Previous
      </a>
    )}
    <span class="soft">
      Page {page} of {pages}
    </span>
    {page < pages && (
      <a href={urlWith(url, { [listParameter]: `${page + 1}` })} data-marks-page="next">
        Next
      </a>
    )}
  </nav>
);
