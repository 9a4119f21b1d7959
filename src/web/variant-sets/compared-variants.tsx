/** @jsxImportSource preact */
/** Up to four variants side by side, at equal zoom. */
import type { Asset } from "../../library/assets/schema.ts";
import { ZoomBar } from "../desk/media/image.tsx";
import { Viewer } from "../desk/viewer.tsx";
import { pickField } from "./parameters.ts";

interface ComparedVariantsProps {
  shown: Asset[];
  canReview: boolean;
  /** URL of the page without the comparison. */
  back: string;
}

export const ComparedVariants = ({ shown, canReview, back }: ComparedVariantsProps) => (
  <section class="compared-variants" data-compared aria-label="Compared variants">
    {shown.map((variant, index) => (
      <figure key={variant.id} data-variant={variant.id}>
        <figcaption>
          <b>{index + 1}</b> <bdi>{variant.title}</bdi>
          {canReview && variant.status === "pending" && (
            <label for={pickField(variant.id)} class="button">
              Pick
            </label>
          )}
        </figcaption>
        <Viewer asset={variant} bare={variant.kind === "image"} />
      </figure>
    ))}
    <div class="toolbar-row">
      {shown.every(({ kind }) => kind === "image") && <ZoomBar />}
      <a class="button" href={back} data-stop-comparing>
        Stop comparing
      </a>
    </div>
  </section>
);
