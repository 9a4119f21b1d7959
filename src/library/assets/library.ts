/** The asset library: one asset with its versions, the list, and rows as responses. */

import type { Caller, Viewer } from "../../core/auth/caller.ts";
import { cursorOf, pageOf, readCursor } from "../../core/lib/cursor.ts";
import { noAsset } from "../../core/problem.ts";
import { type Json, jsonObject, jsonWith } from "../../core/rendered-json.ts";
import { taskUrlOn } from "../../feed/forges/task-url.ts";
import { countOpen, openAnnotations, withReplies } from "../annotations/open.ts";
import { toAnnotation } from "../annotations/rendered-annotation.ts";
import { summarize } from "../annotations/schema.ts";
import type { LibraryContext, LibraryRule } from "../context.ts";
import { toRemoval } from "../removals/rendered-removal.ts";
import { toReviewRequest } from "../review-requests/request.ts";
import type { AssetRow, RenderedAsset } from "../rows.ts";
import { findApprovedTwin, loadVerdicts, verdictsOfReplaced } from "../verdicts/approvals.ts";
import type { Decision } from "../verdicts/schema.ts";
import { annotatedImages } from "./files/annotated-images.ts";
import { brokenLimits } from "./limits.ts";
import { reviewUrlOf } from "./page-url.ts";
import { assetFields, assetUrls, publicUrlOf, withPublicUrl } from "./rendered-asset.ts";
import type { AssetsQuery } from "./requests.ts";
import type { Asset, AssetDetail, AssetList } from "./schema.ts";

/**
 * A page of the library as JSON: pending assets first, then newest first.
 * @throws 400 for an invalid cursor
 */
export const listAssets: LibraryRule<AssetsQuery, Json<AssetList>> = async (
  ctx,
  { limit = 50, cursor, versions, ...filter },
  caller,
) => {
  const rows = await ctx.data.assets(caller.projects, {
    ...filter,
    ...(versions === "newest" && { versions }),
    limit: limit + 1,
    ...(cursor !== undefined && { after: readPosition(cursor) }),
  });
  const { page, next_cursor } = pageOf(rows, limit, positionOf);
  return jsonObject<AssetList>({
    assets: renderAssets(ctx, page),
    count: page.length,
    next_cursor,
  });
};

/** The assets as JSON, each with signed URLs. */
export const renderAssets = (ctx: LibraryContext, rows: readonly RenderedAsset[]): Json<Asset>[] =>
  rows.map((row) =>
    jsonWith(withPublicUrl(ctx, row.wire), assetUrls(ctx, withoutFileUnlessStored(ctx, row)).json),
  );

/** An asset without its details. @throws 404 */
export const loadAsset = async (ctx: LibraryContext, id: string, caller: Caller): Promise<Asset> =>
  toAsset(ctx, await requireAsset(ctx, id, caller));

/** An asset with its versions, reviews, open annotations, and signed URLs. @throws 404 */
export async function getAsset(ctx: LibraryContext, id: string, caller: Caller): Promise<AssetDetail> {
  const row = await requireAsset(ctx, id, caller);
  const [limits, chain, project, request, open, reviews, provenance, removals] = await Promise.all([
    brokenLimits(ctx, row),
    ctx.data.versions(row.root_id),
    ctx.data.project(null, row.project),
    row.status === "pending" ? ctx.data.reviewRequest(id) : null,
    openAnnotations(ctx, row.root_id),
    loadVerdicts(ctx.data, row),
    ctx.data.provenance(id),
    ctx.data.removals([id]),
  ]);
  const versions = chain.map((version) => toAsset(ctx, version));
  const replaced = await verdictsOfReplaced(ctx.data, row.project, chain);
  return {
    ...toAsset(ctx, row),
    limits,
    versions: versions.map(({ id, version, status, reviewed_by, created_at, created_by, thumb_url }) => ({
      id,
      version,
      status,
      verdict: replaced.get(id) ?? verdictByStatus[status] ?? null,
      reviewed_by,
      created_at,
      created_by,
      thumb_url,
    })),
    // Of an asset with both, the pull request.
    task_url:
      project &&
      taskUrlOn(ctx.config, project, row.pr === null ? toAsset(ctx, row) : { issue: null, pr: row.pr }),
    review_request: request && toReviewRequest(ctx.config, request),
    annotations: (await withReplies(ctx.data, open)).map(toAnnotation).map(summarize),
    annotations_total: await countOpen(ctx, row.root_id, open),
    annotated_images: annotatedImages(ctx, row, open),
    ...reviews,
    approved_as: await findApprovedTwin(ctx.data, row, chain),
    provenance,
    removals: removals.map(toRemoval),
  };
}

export const verdictByStatus: Partial<Record<Asset["status"], Decision>> = {
  approved: "approved",
  published: "approved",
  rejected: "rejected",
};

/** Returns the row of an asset in the caller's projects; throws a Problem 404 for any other. */
export async function requireAsset(
  { data }: Pick<LibraryContext, "data">,
  id: string,
  caller: Viewer,
): Promise<AssetRow> {
  const row = await data.asset(caller.projects, id);
  if (!row) throw noAsset(id);
  return row;
}

/** The asset as clients see it, with signed URLs. */
export const toAsset = (ctx: LibraryContext, row: AssetRow): Asset => ({
  ...assetFields(row),
  public_url: publicUrlOf(ctx, row.public_url),
  ...assetUrls(ctx, withoutFileUnlessStored(ctx, row)).urls,
  ...reviewUrlOf(ctx.config, row),
});

/** Without a store (mock mode, metadata only) an asset has no file, so it gets no URLs. */
const withoutFileUnlessStored = <R extends Pick<AssetRow, "key">>({ store }: LibraryContext, row: R): R =>
  store === null ? { ...row, key: null } : row;

type Position = Pick<AssetRow, "status" | "created_at" | "id">;

/** The cursor encodes the sort key: creation time, whether a review is pending, id. */
const positionOf = ({ status, created_at, id }: Position): string =>
  cursorOf(created_at, (status === "pending" ? "1" : "0") + id);

function readPosition(cursor: string): Position {
  const { ts, rest } = readCursor(cursor);
  return { status: rest.startsWith("1") ? "pending" : "approved", created_at: ts ?? 0, id: rest.slice(1) };
}
