/** The annotations of a version beside its viewer: the list, and the form that adds one. */
import type { Asset } from "../../library/assets/schema.ts";
import { kindRows } from "../assets/kinds.ts";
import { AnnotationItem } from "./annotation-item.tsx";
import type { AnnotationForms, AssetAnnotations } from "./asset-annotations.ts";
import { AnnotationForm, type RefusedAnnotation } from "./form/annotation-form.tsx";
import { ListFilters, ListPages, listPageOf } from "./list-pages.tsx";

interface AnnotationsProps extends AssetAnnotations {
  asset: Asset;
  forms: AnnotationForms;
  /** URL of the page, for the pages of the list. */
  url: URL;
  refused?: RefusedAnnotation | undefined;
}

export function Annotations({ asset, annotations, replies, forms, url, refused }: AnnotationsProps) {
  const { shown, ...list } = listPageOf(annotations, url);
  return (
    <section class="annotations" id="annotations" aria-label="Annotations" data-of={asset.id}>
      <h2>Annotations {annotations.length > 0 && <span class="soft">{annotations.length}</span>}</h2>
      {annotations.length === 0 && <p class="soft">{emptyText(asset, forms)}</p>}
      {forms.canAdd && <AnnotationForm asset={asset} forms={forms} refused={refused} />}
      <ListFilters annotations={annotations} url={url} filter={list.filter} />
      {shown.length > 0 && (
        <ol class="marks">
          {shown.map((annotation) => (
            <AnnotationItem
              key={annotation.id}
              annotation={annotation}
              forms={forms}
              replies={replies.get(annotation.id) ?? []}
            />
          ))}
        </ol>
      )}
      {list.pages > 1 && <ListPages {...list} url={url} />}
    </section>
  );
}

const emptyText = ({ kind }: Asset, { canAdd }: AnnotationForms): string =>
  canAdd && kindRows[kind].marks.includes("drawn")
    ? "No annotations yet. Mark a place, or comment on the whole file."
    : "No annotations yet.";
