/** The page of a variant set: pick the best, reject the others with one note, and compare up to four. */

import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import type { Asset } from "../../library/assets/schema.ts";
import { setPath } from "../../memory/set-ref.ts";
import { ZoomBar } from "../desk/media/media.tsx";
import { fetchOrigins, Viewer } from "../desk/viewer.tsx";
import { pluralize } from "../format.ts";
import { hasScope, MissingScope } from "../layout.tsx";
import { decisionUrl } from "../memory/decision-list.tsx";
import { newLinkUrl } from "../shares/lists.tsx";
import type { Page, View } from "../view.ts";
import { loadSet, type SentForm } from "./load-set.ts";
import { compareParameter, idsIn, pickField } from "./parameters.ts";
import { loadSetRuns, SetFacts } from "./set-facts.tsx";
import { Variants } from "./variants.tsx";

/** Compared side by side. */
export const comparedMax = 4;

/** @param sent shown again, with what was picked */
export async function variantSetPage(view: View, sent?: SentForm): Promise<Page> {
  const { slug = "", set = "" } = view.params;
  const found = await loadSet(view, sent);
  const { variants } = found;
  const query = view.url.searchParams;
  const compared = idsIn(query, compareParameter).flatMap(
    (id) => variants.find((variant) => variant.id === id) ?? [],
  );
  const shown = compared.slice(0, comparedMax);
  const decision = query.get("decision");
  const isOpen = variants.some(({ status }) => status === "pending");
  const canReview = isOpen && hasScope(view, "assets:review");
  const canPick = ({ id, status }: Asset) => canReview && status === "pending" && !found.own.has(id);
  const body = (
    <>
      <p class="crumbs">
        <a href="/assets">Assets</a> / <a href={`/assets?project=${slug}`}>{slug}</a>
      </p>
      <div class="head">
        <h1>
          <bdi>{set}</bdi>
        </h1>
        <span class="soft">{countsOf(variants)}</span>
        {hasScope(view, "assets:review") && view.visitor.signedIn && (
          <a href={newLinkUrl(slug, set)}>Share</a>
        )}
        <SetFacts variants={variants} runs={await loadSetRuns(view, variants)} />
      </div>
      {decision && /^\d+$/.test(decision) && (
        <p class="notice good" role="status">
          Reviewed. What was picked over what is{" "}
          <a href={decisionUrl({ id: Number(decision) })}>decision {decision}</a> of {slug}, and part of the
          next brief.
        </p>
      )}
      {sent && sent.messages.length > 0 && (
        <div class="notice bad" role="alert">
          {sent.messages.map((message) => (
            <p key={message}>{message}</p>
          ))}
        </div>
      )}
      {shown.length > 0 && <ComparedVariants shown={shown} canPick={canPick} back={setPath(slug, set)} />}
      <Variants view={view} found={found} shown={shown} canReview={canReview} canPick={canPick} sent={sent} />
      {isOpen && !canReview && <MissingScope view={view} scope="assets:review" to="pick variants" />}
      <div class="toast" id="toast" role="status" hidden />
    </>
  );
  return {
    title: isolateBidi(set),
    navEntry: "assets",
    body,
    islands: ["compare-variants.js"],
    connectOrigins: fetchOrigins(view.ctx.config, shown),
    ...(sent && sent.messages.length > 0 && { status: 409 }),
  };
}

/** `40 variants: 38 pending, 2 approved` */
function countsOf(variants: readonly Asset[]): string {
  const counts = Map.groupBy(variants, ({ status }) => status);
  const parts = [...counts].map(([status, list]) => `${list.length} ${status}`);
  return `${pluralize(variants.length, "variant")}: ${parts.join(", ")}`;
}

interface ComparedVariantsProps {
  shown: Asset[];
  canPick(variant: Asset): boolean;
  /** URL of the page without the comparison. */
  back: string;
}

/** Side by side, at equal zoom. */
const ComparedVariants = ({ shown, canPick, back }: ComparedVariantsProps) => (
  <section class="compared-variants" data-compared aria-label="Compared variants">
    {shown.map((variant, index) => (
      <figure key={variant.id} data-variant={variant.id}>
        <figcaption>
          <b>{index + 1}</b> <bdi>{variant.title}</bdi>
          {canPick(variant) && (
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
