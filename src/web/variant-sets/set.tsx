/** @jsxImportSource preact */
/** The page of a variant set: pick the best, reject the others with one note, and compare up to four. */
import type { Asset, AssetList } from "../../assets/schema.ts";
import { isolateBidi } from "../../lib/strings/display-text.ts";
import { listAssets } from "../../operations/assets.ts";
import { notFound } from "../../problem.ts";
import { variantsMax } from "../../variant-sets/schema.ts";
import { setPath } from "../../variant-sets/set-ref.ts";
import { viewerScripts } from "../desk/viewer.tsx";
import { pluralize } from "../format.ts";
import { hasScope, MissingScope } from "../layout.tsx";
import { decisionUrl } from "../memory/decision-list.tsx";
import type { ScriptName } from "../static-files.ts";
import { callOperation, type Page, type View } from "../view.ts";
import { ComparedVariants } from "./compared-variants.tsx";
import { compareParameter, idsIn, pickedParameter } from "./parameters.ts";
import { Variants } from "./variants.tsx";

/** A review of the set that was not saved as it was sent, or not for every variant. */
export interface RefusedReview {
  messages: string[];
  picked: ReadonlySet<string>;
  note: string;
}

const pageLength = 200;
/** Compared side by side. */
export const comparedMax = 4;

/** The newest version of each variant, the oldest first; at most `variantsMax`. */
async function loadVariants(view: View, project: string, set: string): Promise<Asset[]> {
  const found: Asset[] = [];
  for (let cursor: string | null | undefined; cursor !== null && found.length < variantsMax; ) {
    const query = { project, set, limit: pageLength, ...(cursor && { cursor }) };
    const page: AssetList = await callOperation<AssetList>(view, listAssets, query);
    found.push(...page.assets.filter(({ status }) => status !== "superseded"));
    cursor = page.next_cursor;
  }
  return found.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** @param refused shown above the variants, with what was picked */
export async function variantSetPage(view: View, refused?: RefusedReview): Promise<Page> {
  const { slug = "", set = "" } = view.params;
  const variants = await loadVariants(view, slug, set);
  if (variants.length === 0) throw notFound(`${slug} has no variant set "${isolateBidi(set)}".`);
  const query = view.url.searchParams;
  const compared = idsIn(query, compareParameter).flatMap(
    (id) => variants.find((variant) => variant.id === id) ?? [],
  );
  const shown = compared.slice(0, comparedMax);
  const picked = refused?.picked ?? new Set(idsIn(query, pickedParameter));
  const decision = query.get("decision");
  const isOpen = variants.some(({ status }) => status === "pending");
  const canReview = isOpen && hasScope(view, "assets:review");
  const { islands, connectOrigins } = viewerScripts(view.ctx.config, shown);
  const scripts: ScriptName[] = ["variant-set.js", ...(shown.length > 0 ? (["viewer.js"] as const) : [])];
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
      </div>
      {decision && /^\d+$/.test(decision) && (
        <p class="notice good" role="status">
          Reviewed. What was picked over what is{" "}
          <a href={decisionUrl({ id: Number(decision) })}>decision {decision}</a> of {slug}, and part of the
          next brief.
        </p>
      )}
      {refused && (
        <div class="notice bad" role="alert">
          {refused.messages.map((message) => (
            <p key={message}>{message}</p>
          ))}
        </div>
      )}
      {shown.length > 0 && <ComparedVariants {...{ shown, canReview }} back={setPath(slug, set)} />}
      <Variants {...{ view, variants, picked, canReview }} note={refused?.note ?? ""} />
      {isOpen && !canReview && <MissingScope view={view} scope="assets:review" to="pick variants" />}
      <p class="toast" id="toast" role="status" hidden />
    </>
  );
  return {
    title: isolateBidi(set),
    navEntry: "assets",
    body,
    islands: [...scripts, ...islands],
    connectOrigins,
    ...(refused && { status: 409 }),
  };
}

/** `40 variants: 38 pending, 2 approved` */
function countsOf(variants: readonly Asset[]): string {
  const counts = Map.groupBy(variants, ({ status }) => status);
  const parts = [...counts].map(([status, list]) => `${list.length} ${status}`);
  return `${pluralize(variants.length, "variant")}: ${parts.join(", ")}`;
}
