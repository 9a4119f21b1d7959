/** @jsxImportSource preact */
/** The variants of a page as large pictures, each with a checkbox to pick it, in the form that reviews the set. */
import type { Asset } from "../../library/assets/schema.ts";
import type { Approvals } from "../../library/verdicts/schema.ts";
import { waitingText } from "../../library/verdicts/text.ts";
import { setPath } from "../../memory/set-ref.ts";
import { Status } from "../assets/asset.tsx";
import { Thumb } from "../assets/tiles.tsx";
import { CsrfField } from "../layout.tsx";
import { ChecklistFields } from "../verdicts/checklist-fields.tsx";
import type { View } from "../view.ts";
import type { SentForm, ShownSet } from "./load-set.ts";
import { PageLinks, PageTurner } from "./page-turner.tsx";
import { pageField, pickField, shownField } from "./parameters.ts";
import { ReviewBar } from "./review-bar.tsx";

interface VariantsProps {
  view: View;
  found: ShownSet;
  /** The compared variants. */
  shown: readonly Asset[];
  canReview: boolean;
  sent: SentForm | undefined;
}

export function Variants({ view, found, shown, canReview, sent }: VariantsProps) {
  const { slug = "", set = "" } = view.params;
  const { variants, onPage, page, pages, picked, approvals, checklist } = found;
  const pending = variants.filter(({ status }) => status === "pending");
  const elsewhere = pending.filter(
    (variant) => !onPage.includes(variant) && (picked.has(variant.id) || shown.includes(variant)),
  );
  return (
    <form method="post" action={`${setPath(slug, set)}/review`} id="variant-set" class="variant-set">
      <CsrfField token={view.visitor.csrf} />
      <input type="hidden" name={shownField} value={pending.map(({ id }) => id).join(",")} />
      <input type="hidden" name={pageField} value={page} />
      <ol class="variants" data-grid>
        {onPage.map((variant, index) => (
          <li key={variant.id}>
            <a href={`/assets/${variant.id}`}>
              <Thumb asset={variant} />
              <span class="tile-title">
                <b>{index + 1}</b> <bdi>{variant.title}</bdi>
              </span>
            </a>
            <p class="soft">
              <span>
                <Status status={variant.status} />
                <Waiting approvals={approvals.get(variant.id)} />
              </span>
              {canReview && variant.status === "pending" && (
                <PickBox variant={variant} isPicked={picked.has(variant.id)}>
                  Pick<span class="visually-hidden"> {variant.title}</span>
                </PickBox>
              )}
            </p>
          </li>
        ))}
      </ol>
      {canReview && elsewhere.length > 0 && (
        <fieldset class="picked-elsewhere">
          <legend>Picked on other pages</legend>
          {elsewhere.map((variant) => (
            <PickBox key={variant.id} variant={variant} isPicked={picked.has(variant.id)}>
              <bdi>{variant.title}</bdi>
            </PickBox>
          ))}
        </fieldset>
      )}
      {pages > 1 && (canReview ? <PageTurner {...{ page, pages }} /> : <PageLinks {...{ page, pages }} />)}
      {canReview && checklist && (
        <>
          <ChecklistFields state={{ checklist, own: null }} given={sent?.checklist} />
          <p class="soft">The answers hold for every picked variant.</p>
        </>
      )}
      {canReview && <ReviewBar note={sent?.note ?? ""} pages={pages} />}
    </form>
  );
}

/** What others have to approve, once someone has. */
const Waiting = ({ approvals }: { approvals: Approvals | undefined }) =>
  approvals && approvals.have > 0 && approvals.missing.length > 0 ? <>, {waitingText(approvals)}</> : null;

interface PickBoxProps {
  variant: Asset;
  isPicked: boolean;
  children: preact.ComponentChildren;
}

const PickBox = ({ variant: { id }, isPicked, children }: PickBoxProps) => (
  <label class="pick">
    <input type="checkbox" id={pickField(id)} name={pickField(id)} value="1" checked={isPicked} /> {children}
  </label>
);
