/** Loads what the page of a variant set shows. */

import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { notFound } from "../../core/problem.ts";
import type { Asset, AssetList } from "../../library/assets/schema.ts";
import type { AnswersInput } from "../../library/checklists/schema.ts";
import { listAssets } from "../../library/operations/assets.ts";
import { variantsMax } from "../../library/variant-sets/limits.ts";
import { approvedByCaller } from "../../library/verdicts/approvals.ts";
import {
  loadOwnVersions,
  loadSetReviewState,
  type SetReviewState,
} from "../../library/verdicts/review-state.ts";
import { hasScope } from "../layout.tsx";
import { callOperation, readFor, type View } from "../view.ts";
import { idsIn, pageParameter, pickedParameter } from "./parameters.ts";

const listLength = 200;
/** Variants of one page: 1,000 would be 770 KB of HTML, and as many pictures. */
const pageLength = 100;

export interface ShownSet extends SetReviewState {
  /** All of the set, at most `variantsMax`. */
  variants: Asset[];
  /** Those of the page. */
  onPage: Asset[];
  /** From 1 to `pages`. */
  page: number;
  pages: number;
  picked: ReadonlySet<string>;
  /** Pending ones of the page that the visitor made, and so cannot approve. */
  own: ReadonlySet<string>;
}

/** A form that only turned the page, or a review that was not saved as it was sent, or not for every variant. */
export interface SentForm {
  page: number;
  picked: ReadonlySet<string>;
  note: string;
  checklist: AnswersInput | undefined;
  /** Why it was not saved; empty if it turned the page. */
  messages: string[];
}

/** @throws {Problem} 404 if the project has no such set */
export async function loadSet(view: View, sent?: SentForm): Promise<ShownSet> {
  const { slug = "", set = "" } = view.params;
  const variants = await loadVariants(view, slug, set);
  if (variants.length === 0) throw notFound(`${slug} has no variant set "${isolateBidi(set)}".`);
  const pages = Math.ceil(variants.length / pageLength);
  const wanted = sent?.page ?? Number(view.url.searchParams.get(pageParameter));
  const page = Math.min(Math.max(Math.trunc(wanted) || 1, 1), pages);
  const onPage = variants.slice((page - 1) * pageLength, page * pageLength);
  const ids = onPage.flatMap(({ id, status }) => (status === "pending" ? id : []));
  const [state, picked, own] = await Promise.all([
    readFor(view, loadSetReviewState(view.ctx, slug, { variants, shown: onPage })),
    sent?.picked ?? loadPicked(view),
    hasScope(view, "assets:review") ? loadOwnVersions(view.ctx, ids, view.visitor.caller) : new Set<string>(),
  ]);
  return { ...state, variants, onPage, page, pages, picked, own };
}

/** The newest version of each variant, the oldest first; at most `variantsMax`. */
async function loadVariants(view: View, project: string, set: string): Promise<Asset[]> {
  const found: Asset[] = [];
  for (let cursor: string | null | undefined; cursor !== null && found.length < variantsMax; ) {
    const query = { project, set, limit: listLength, ...(cursor && { cursor }) };
    const list: AssetList = await callOperation<AssetList>(view, listAssets, query);
    found.push(...list.assets.filter(({ status }) => status !== "superseded"));
    cursor = list.next_cursor;
  }
  const keyOf = ({ created_at, id }: Asset) => created_at + id;
  return found.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).slice(0, variantsMax);
}

/** What the visitor has picked so far; before that, what they have approved and waits for others. */
async function loadPicked({ ctx, visitor, url }: View): Promise<ReadonlySet<string>> {
  return url.searchParams.has(pickedParameter)
    ? new Set(idsIn(url.searchParams, pickedParameter))
    : new Set((await approvedByCaller(ctx, visitor.caller)).keys());
}
