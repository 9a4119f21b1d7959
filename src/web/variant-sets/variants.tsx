/** The form that reviews a set: its variants as large pictures to pick from, its pages, a note, and the buttons. */
import type { Asset } from "../../library/assets/schema.ts";
import type { Approvals } from "../../library/verdicts/schema.ts";
import { waitingText } from "../../library/verdicts/text.ts";
import { setPath } from "../../memory/set-ref.ts";
import { Status } from "../assets/asset.tsx";
import { Thumb } from "../assets/tiles.tsx";
import { PostForm } from "../layout.tsx";
import { ChecklistFields } from "../verdicts/checklist-fields.tsx";
import type { View } from "../view.ts";
import type { SentForm, ShownSet } from "./load-set.ts";
import { pageField, pageParameter, pickField, shownField, turnField } from "./parameters.ts";

interface VariantsProps {
  view: View;
  found: ShownSet;
  /** The compared variants. */
  shown: readonly Asset[];
  canReview: boolean;
  canPick(variant: Asset): boolean;
  sent: SentForm | undefined;
}

export function Variants({ view, found, shown, canReview, canPick, sent }: VariantsProps) {
  const { slug = "", set = "" } = view.params;
  const { variants, onPage, page, pages, picked, own, approvals, checklist } = found;
  const pending = variants.filter(({ status }) => status === "pending");
  const isAllOwn = pending.length > 0 && pending.every(({ id }) => own.has(id));
  const elsewhere = pending.filter(
    (variant) => !onPage.includes(variant) && (picked.has(variant.id) || shown.includes(variant)),
  );
  return (
    <PostForm view={view} action={`${setPath(slug, set)}/review`} id="variant-set" class="variant-set">
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
                {own.has(variant.id) && ", made by you"}
              </span>
              {canPick(variant) && (
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
      {pages > 1 && <Pages page={page} pages={pages} canReview={canReview} />}
      {own.size > 0 && (
        <p class="soft">
          You made {isAllOwn ? "" : "some of "}these variants: someone else picks from{" "}
          {isAllOwn ? "them" : "those"}.
        </p>
      )}
      {canReview && !isAllOwn && checklist && (
        <>
          <ChecklistFields state={{ checklist, own: null }} given={sent?.checklist} />
          <p class="soft">The answers hold for every picked variant.</p>
        </>
      )}
      {canReview && <ReviewBar note={sent?.note ?? ""} pages={pages} canPick={!isAllOwn} />}
    </PostForm>
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

/** Buttons of the form, so what is picked and written stays, also without scripts; links for who picks nothing. */
function Pages({ page, pages, canReview }: { page: number; pages: number; canReview: boolean }) {
  const labels = (number: number) => ({
    "aria-label": `Page ${number}`,
    "aria-current": number === page ? ("page" as const) : undefined,
  });
  const numbers = Array.from({ length: pages }, (_, index) => index + 1);
  return (
    <nav class="set-pages" aria-label="Pages of the set">
      {numbers.map((number) =>
        canReview ? (
          <button
            key={number}
            type="submit"
            name={turnField}
            value={number}
            formNoValidate
            {...labels(number)}
          >
            {number}
          </button>
        ) : (
          <a key={number} class="button" href={`?${pageParameter}=${number}`} {...labels(number)}>
            {number}
          </a>
        ),
      )}
    </nav>
  );
}

interface ReviewBarProps {
  note: string;
  pages: number;
  canPick: boolean;
}

/** Answers of the checklist are checked by the server: to reject all needs none. */
const ReviewBar = ({ note, pages, canPick }: ReviewBarProps) => (
  <section class="bulk" aria-label="Review the set">
    {canPick && (
      <p>
        <strong id="picked-count" aria-live="polite" />
        <button type="button" id="compare-picked" aria-keyshortcuts="C" hidden>
          Compare <kbd>C</kbd>
        </button>
      </p>
    )}
    <label>
      Note{" "}
      <input name="note" maxLength={2000} value={note} placeholder="What to change (required to reject)" />
    </label>
    <p class="buttons">
      {canPick && (
        <>
          <button class="primary" name="rest" value="reject" type="submit" formNoValidate>
            Approve picked, reject the rest{pages > 1 && ` of all ${pages} pages`}
          </button>
          <button name="rest" value="keep" type="submit" formNoValidate>
            Approve picked only
          </button>
        </>
      )}
      <button class="danger" name="rest" value="all" type="submit" formNoValidate>
        Reject all{pages > 1 && ` of ${pages} pages`}
      </button>
    </p>
  </section>
);
