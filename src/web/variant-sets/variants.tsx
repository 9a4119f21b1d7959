/** @jsxImportSource preact */
/** The variants of a set as large pictures, each with a checkbox to pick it, and the form that reviews them. */
import type { Asset } from "../../assets/schema.ts";
import { setPath } from "../../variant-sets/set-ref.ts";
import { Status } from "../assets/asset.tsx";
import { Thumb } from "../assets/tiles.tsx";
import { CsrfField } from "../layout.tsx";
import type { View } from "../view.ts";
import { pickField, shownField } from "./parameters.ts";

interface VariantsProps {
  view: View;
  variants: Asset[];
  picked: ReadonlySet<string>;
  canReview: boolean;
  note: string;
}

export function Variants({ view, variants, picked, canReview, note }: VariantsProps) {
  const { slug = "", set = "" } = view.params;
  const pending = variants.filter(({ status }) => status === "pending");
  return (
    <form method="post" action={`${setPath(slug, set)}/review`} id="variant-set" class="variant-set">
      <CsrfField token={view.visitor.csrf} />
      <input type="hidden" name={shownField} value={pending.map(({ id }) => id).join(",")} />
      <ol class="variants" data-grid>
        {variants.map((variant, index) => (
          <li key={variant.id}>
            <a href={`/assets/${variant.id}`}>
              <Thumb asset={variant} />
              <span class="tile-title">
                <b>{index + 1}</b> <bdi>{variant.title}</bdi>
              </span>
            </a>
            <p class="soft">
              <Status status={variant.status} />
              {canReview && variant.status === "pending" && (
                <label class="pick">
                  <input
                    type="checkbox"
                    id={pickField(variant.id)}
                    name={pickField(variant.id)}
                    value="1"
                    checked={picked.has(variant.id)}
                  />{" "}
                  Pick<span class="visually-hidden"> {variant.title}</span>
                </label>
              )}
            </p>
          </li>
        ))}
      </ol>
      {canReview && <ReviewBar note={note} />}
    </form>
  );
}

const ReviewBar = ({ note }: { note: string }) => (
  <section class="bulk" aria-label="Review the set">
    <p>
      <strong id="picked-count" aria-live="polite" />
      <button type="button" id="compare-picked" aria-keyshortcuts="C" hidden>
        Compare <kbd>C</kbd>
      </button>
    </p>
    <label>
      Note <input name="note" maxLength={2000} value={note} placeholder="Why the others were not picked" />
    </label>
    <p class="buttons">
      <button class="primary" name="rest" value="reject" type="submit">
        Approve picked, reject the rest
      </button>
      <button name="rest" value="keep" type="submit">
        Approve picked only
      </button>
    </p>
  </section>
);
