/** @jsxImportSource preact */
/** The review desk: one asset, its review form, what it was made for, and its versions. */

import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { loadModel } from "../../library/assets/files/model.ts";
import { loadTimelines } from "../../library/assets/files/timeline.ts";
import type { AssetDetail } from "../../library/assets/schema.ts";
import { getAsset } from "../../library/operations/assets.ts";
import { Annotations } from "../annotations/annotations.tsx";
import { countSent } from "../annotations/asset-annotations.ts";
import { loadDeskAnnotations } from "../annotations/desk-annotations.ts";
import { EarlierAnnotations } from "../annotations/earlier-annotations.tsx";
import type { RefusedAnnotation } from "../annotations/form/annotation-form.tsx";
import { partsParameter } from "../annotations/list-pages.tsx";
import { annotationParts } from "../annotations/parts.tsx";
import { loadReviewed, ReviewedNotice, Status } from "../assets/asset.tsx";
import { bucketOrigins } from "../assets/upload.tsx";
import { loadShares, ShareSection } from "../shares/section.tsx";
import { loadReviewState } from "../verdicts/review-state.ts";
import { callOperation, type Page, type View } from "../view.ts";
import { loadLines } from "./asset-text.ts";
import { Comparison } from "./compare/compare.tsx";
import { alone, loadChoices, withParameter } from "./compare/pick.tsx";
import { AssetDetails } from "./details.tsx";
import { loadQueue, Queue } from "./queue.tsx";
import { type RefusedReview, ReviewPanel } from "./review/review-panel.tsx";
import { loadSidebar, Sidebar } from "./sidebar/sidebar.tsx";
import { SourceTabs } from "./source-tabs.tsx";
import { Versions } from "./versions.tsx";
import { Viewer, viewerScripts } from "./viewer.tsx";

/** The version that the URL names, or else the previous one, so that a reviewer sees what changed. */
function comparedWith(url: URL, asset: AssetDetail): string | null {
  const named = url.searchParams.get(withParameter);
  return named === alone ? null : named || asset.parent_id;
}

/**
 * @param refused a review sent from this page that was rejected, for example because the asset changed
 * @param refusedAnnotation an annotation that was not saved
 */
export async function deskPage(
  view: View,
  refused?: RefusedReview,
  refusedAnnotation?: RefusedAnnotation,
): Promise<Page> {
  const { url, ctx } = view;
  if (url.searchParams.has(partsParameter)) return annotationParts(view, refusedAnnotation);
  const asset = await callOperation<AssetDetail>(view, getAsset, { id: view.params.id ?? "" });
  const other = comparedWith(url, asset);
  const [queue, sidebar, compared, reviewed, shares, marks, state, choices] = await Promise.all([
    loadQueue(view, asset.id),
    loadSidebar(view, asset),
    other ? callOperation<AssetDetail>(view, getAsset, { id: other }) : null,
    loadReviewed(view),
    loadShares(view, asset),
    loadDeskAnnotations(view, asset),
    loadReviewState(view, asset),
    loadChoices(view, asset),
  ]);
  const [text, timelines, model] = await Promise.all([
    compared ? null : loadLines(view, asset),
    loadTimelines(ctx, [asset, compared]),
    loadModel(ctx, asset),
  ]);
  const { islands, connectOrigins } = viewerScripts(ctx.config, [asset, compared]);
  const body = (
    <div
      class="desk"
      id="desk"
      data-id={asset.id}
      data-sha256={asset.sha256}
      data-status={asset.status}
      data-title={isolateBidi(asset.title)}
      data-reviewed={asset.reviewed_at ?? ""}
      data-last-verdict={asset.verdicts.at(-1)?.at ?? ""}
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
        <Queue queue={queue} view={view} approvals={asset.approvals} />
      </div>
      <div class="desk-columns">
        <div class="desk-viewer">
          {compared ? (
            await Comparison({ asset, other: compared, view, marks, timelines, choices })
          ) : (
            <>
              <SourceTabs asset={asset} url={url} />
              <Viewer
                asset={asset}
                pins={marks.pins}
                canMark={marks.forms.canAdd}
                text={text}
                timeline={timelines.get(asset.id)}
                model
              />
            </>
          )}
        </div>
        <aside class="desk-sidebar" aria-label="Review">
          <EarlierAnnotations {...marks} asset={asset} />
          <ReviewPanel
            {...{ asset, view, refused, state }}
            annotations={countSent(marks)}
            commentsOn={sidebar.task?.commentsOn ?? null}
          />
          <Annotations {...marks} asset={asset} url={view.url} refused={refusedAnnotation} />
          <Sidebar {...sidebar} />
          <ShareSection view={view} id={asset.id} list={shares} />
        </aside>
        <div class="desk-below">
          <Versions asset={asset} view={view} other={compared?.id ?? null} choices={choices} />
          <AssetDetails asset={asset} model={model} />
        </div>
      </div>
      <p class="toast" id="toast" role="status" hidden />
    </div>
  );
  return {
    title: isolateBidi(asset.title),
    navEntry: "assets",
    body,
    islands: [
      ...(["annotate.js", "desk.js", "upload.js"] as const),
      ...(compared ? (["compare.js"] as const) : []),
      ...islands,
    ],
    connectOrigins: [
      ...bucketOrigins(view),
      ...connectOrigins,
      ...(compared?.kind === "image" ? [ctx.config.contentUrl] : []),
    ],
  };
}
