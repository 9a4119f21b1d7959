/** @jsxImportSource preact */
/** The review desk: one asset, its review form, what it was made for, and its versions. */
import type { AssetDetail } from "../../assets/schema.ts";
import { isolateBidi } from "../../lib/display-text.ts";
import { getAsset } from "../../operations/assets.ts";
import { loadReviewed, ReviewedNotice, Status } from "../assets/asset.tsx";
import { bucketOrigins } from "../assets/upload.tsx";
import { loadShares, ShareSection } from "../shares/section.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { alone, Comparison } from "./compare.tsx";
import { AssetDetails } from "./details.tsx";
import { loadQueue, Queue } from "./queue.tsx";
import { type RefusedReview, ReviewPanel } from "./review-panel.tsx";
import { loadSidebar, Sidebar } from "./sidebar.tsx";
import { Versions } from "./versions.tsx";
import { Viewer } from "./viewer.tsx";

/** The version that the URL names, or else the previous one, so that a reviewer sees what changed. */
function comparedWith(url: URL, asset: AssetDetail): string | null {
  const named = url.searchParams.get("with");
  return named === alone ? null : named || asset.parent_id;
}

/** @param refused a review sent from this page that was rejected, for example because the asset changed */
export async function deskPage(view: View, refused?: RefusedReview): Promise<Page> {
  const { url, ctx } = view;
  const asset = await callOperation<AssetDetail>(view, getAsset, { id: view.params.id ?? "" });
  const other = comparedWith(url, asset);
  const [queue, sidebar, compared, reviewed, shares] = await Promise.all([
    loadQueue(view, asset.id),
    loadSidebar(view, asset),
    other ? callOperation<AssetDetail>(view, getAsset, { id: other }) : null,
    loadReviewed(view),
    loadShares(view, asset),
  ]);
  const hasPdf = [asset, compared].some((shown) => shown?.kind === "pdf" && shown.url);
  const body = (
    <div
      class="desk"
      id="desk"
      data-id={asset.id}
      data-sha256={asset.sha256}
      data-status={asset.status}
      data-title={isolateBidi(asset.title)}
      data-reviewed={asset.reviewed_at ?? ""}
      data-next={queue.following.join(" ")}
    >
      <ReviewedNotice asset={reviewed} />
      <div class="head">
        <p class="crumbs">
          <a href="/assets">Assets</a> / <a href={`/assets?project=${asset.project}`}>{asset.project}</a>
        </p>
        <h1 title={asset.title}>
          <bdi>{asset.title}</bdi>
        </h1>
        <Status status={asset.status} />
        <span class="soft">version {asset.version}</span>
        <Queue queue={queue} view={view} />
      </div>
      <div class="desk-columns">
        <div class="desk-viewer">
          {compared ? await Comparison({ asset, other: compared, view }) : <Viewer asset={asset} />}
        </div>
        <aside class="desk-sidebar" aria-label="Review">
          <ReviewPanel {...{ asset, view, refused }} commentsOn={sidebar.task?.commentsOn ?? null} />
          <Sidebar {...sidebar} />
          <ShareSection view={view} id={asset.id} list={shares} />
        </aside>
        <div class="desk-below">
          <Versions asset={asset} view={view} other={other} />
          <AssetDetails asset={asset} />
        </div>
      </div>
      <p class="toast" id="toast" role="status" hidden />
    </div>
  );
  return {
    title: isolateBidi(asset.title),
    navEntry: "assets",
    body,
    islands: ["desk.js", "upload.js", ...(hasPdf ? (["pdf.js"] as const) : [])],
    connectOrigins: [...bucketOrigins(view), ...(hasPdf ? [ctx.config.contentUrl] : [])],
  };
}
