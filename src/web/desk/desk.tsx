/**
 * The review desk: one asset, its review form, what it was made for, and its versions. Guests, who came with
 * a share link, see what the link gives out.
 */

import { isolateBidi } from "../../core/lib/strings/display-text.ts";
import { withFileState } from "../../library/assets/files/missing-file.ts";
import { loadModel, loadReadings } from "../../library/assets/files/reading.ts";
import type { AssetDetail } from "../../library/assets/schema.ts";
import { getAsset } from "../../library/operations/assets.ts";
import { sharedItems } from "../../library/shares/subject.ts";
import { loadReviewState } from "../../library/verdicts/review-state.ts";
import { Actor } from "../actor.tsx";
import { Annotations } from "../annotations/annotations.tsx";
import { countSent } from "../annotations/asset-annotations.ts";
import { loadDeskAnnotations } from "../annotations/desk-annotations.ts";
import { EarlierAnnotations } from "../annotations/earlier-annotations.tsx";
import type { RefusedAnnotation } from "../annotations/form/annotation-form.tsx";
import { partsParameter } from "../annotations/list-pages.tsx";
import { annotationParts } from "../annotations/parts.tsx";
import { deskUrl, loadReviewed, ReviewedNotice, Status } from "../assets/asset.tsx";
import { bucketOrigins } from "../assets/upload.tsx";
import { hasScope } from "../layout.tsx";
import { Removals, removalPath } from "../removals/removal-page.tsx";
import { loadShares, ShareSection } from "../shares/lists.tsx";
import { callOperation, type Page, readFor, type View } from "../view.ts";
import { loadShownText } from "./asset-text.ts";
import { Comparison } from "./compare/compare.tsx";
import { alone, loadChoices, withParameter } from "./compare/pick.tsx";
import { AssetDetails } from "./details.tsx";
import { Drawer } from "./drawer.tsx";
import { Filmstrip } from "./filmstrip.tsx";
import {
  AboutShare,
  GuestNotices,
  isWithheld,
  loadDeskAsset,
  loadGuestCompared,
  showsAnnotations,
} from "./guest.tsx";
import { GuestQueue } from "./guest-queue.tsx";
import { GuestVersions, guestVersionUrl } from "./guest-versions.tsx";
import { loadQueue, type QueuePosition } from "./queue.ts";
import { loadRejection } from "./review/rejection-card.tsx";
import { type RefusedReview, ReviewPanel } from "./review/review-panel.tsx";
import { Asked } from "./review/review-request.tsx";
import { ReviewState } from "./review/review-state.tsx";
import { Feedback, loadSidebar, Sidebar } from "./sidebar/sidebar.tsx";
import { SourceTabs } from "./source-tabs.tsx";
import { Versions } from "./versions.tsx";
import { fetchOrigins, Viewer } from "./viewer.tsx";

/** The version that the URL names, or else the previous one, so that a reviewer sees what changed. */
function comparedWith(url: URL, asset: AssetDetail): string | null {
  const named = url.searchParams.get(withParameter);
  return named === alone ? null : named || asset.parent_id;
}

/** What surrounds an asset, for the team alone. */
async function loadSurroundings(view: View, asset: AssetDetail) {
  const load = (id: string) => callOperation<AssetDetail>(view, getAsset, { id });
  const parent = asset.parent_id ? load(asset.parent_id) : null;
  const named = comparedWith(view.url, asset);
  const other = named === asset.parent_id ? parent : named ? load(named) : null;
  const [queue, sidebar, compared, reviewed, shares, choices, model] = await Promise.all([
    loadQueue(view, asset.id),
    loadSidebar(view, asset, parent),
    other?.then((found) => withFileState(view.ctx, found)) ?? null,
    loadReviewed(view),
    loadShares(view, asset),
    loadChoices(view, asset),
    loadModel(view.ctx, asset),
  ]);
  return { queue, sidebar, compared, reviewed, shares, choices, model };
}

/** A form of the desk that was not saved, for example because the asset changed. */
interface Refused {
  review?: RefusedReview;
  annotation?: RefusedAnnotation | undefined;
}

export async function deskPage(view: View, refused: Refused = {}): Promise<Page> {
  const { url, ctx, guest } = view;
  if (url.searchParams.has(partsParameter)) return annotationParts(view, refused.annotation);
  const asset = await loadDeskAsset(view);
  const [team, marks, state, items] = await Promise.all([
    guest ? null : loadSurroundings(view, asset),
    loadDeskAnnotations(view, asset),
    readFor(view, loadReviewState(view.ctx, asset, view.visitor.caller)),
    guest ? sharedItems(ctx, guest.share) : [],
  ]);
  const compared = guest ? await loadGuestCompared(view, guest) : (team?.compared ?? null);
  const watermark = guest && !guest.share.allow_download ? guest.share.recipient : null;
  const [text, readings, rejection] = await Promise.all([
    compared || !showsAnnotations(view) ? null : loadShownText(view, asset, marks.pins.annotations),
    loadReadings(ctx, [asset, compared]),
    guest ? null : loadRejection(view, asset, state.decision),
  ]);
  const review = <ReviewState asset={asset} view={view} state={state} rejection={rejection} />;
  const canShare = team && team.shares !== null;
  const body = (
    <div class="desk" {...(team && deskData(asset, team.queue))}>
      <div class="head">
        {guest ? <GuestNotices guest={guest} /> : <ReviewedNotice reviewed={team?.reviewed ?? null} />}
        <Removals removals={asset.removals} />
        {team && (
          <p class="crumbs">
            <a href="/assets">Assets</a> / <a href={`/assets?project=${asset.project}`}>{asset.project}</a>
          </p>
        )}
        <h1 title={asset.title}>
          <bdi>{asset.title}</bdi>
        </h1>
        <AssetStatus asset={asset} view={view} />
        <span class="soft">version {asset.version}</span>
        {guest && asset.versions.length > 1 && (
          <div class="drawers">
            <Drawer id="versions" label="Versions">
              <GuestVersions asset={asset} view={view} other={compared?.id ?? null} />
            </Drawer>
          </div>
        )}
        {team && (
          <div class="drawers">
            <button type="button" class="plain" data-show-keys title="Keyboard shortcuts" hidden>
              <span class="visually-hidden">Keyboard shortcuts </span>
              <kbd>?</kbd>
            </button>
            <Drawer id="versions" label="Versions">
              <Versions asset={asset} view={view} other={compared?.id ?? null} choices={team.choices} />
            </Drawer>
            {canShare && (
              <Drawer id="share" label="Share">
                <ShareSection view={view} id={asset.id} list={team.shares} />
              </Drawer>
            )}
            <Drawer id="details" label="Details">
              <AssetDetails asset={asset} model={team.model} />
              {hasScope(view, "assets:review") && (
                <p>
                  <a href={removalPath(asset.id)}>Unpublish or delete…</a>
                </p>
              )}
              <Sidebar {...team.sidebar} />
            </Drawer>
          </div>
        )}
      </div>
      <div class="desk-viewer">
        {compared ? (
          await Comparison({ asset, other: compared, view, marks, readings, watermark })
        ) : (
          <>
            {showsAnnotations(view) && <SourceTabs asset={asset} url={url} />}
            <Viewer
              asset={asset}
              pins={marks.pins}
              canMark={marks.forms.canAdd}
              text={text}
              reading={readings.get(asset.id)}
              model={!guest}
              isWithheld={isWithheld(view, asset)}
              watermark={watermark}
            />
          </>
        )}
      </div>
      {guest && <GuestQueue ctx={ctx} share={guest.share} items={items} current={asset.id} />}
      {team && <Filmstrip queue={team.queue} view={view} approvals={asset.approvals} />}
      <aside class="desk-sidebar" aria-label="Review">
        {!guest && asset.review_request && (
          <p class="asked">
            <Asked request={asset.review_request} now={ctx.now()} />
          </p>
        )}
        {asset.status !== "pending" && review}
        <EarlierAnnotations {...marks} asset={asset} />
        {team?.sidebar.parent && <Feedback asset={team.sidebar.parent} />}
        {asset.status === "pending" && review}
        {showsAnnotations(view) && (
          <Annotations {...marks} asset={asset} url={url} refused={refused.annotation} />
        )}
        {guest && <AboutShare ctx={ctx} guest={guest} asset={asset} />}
      </aside>
      <ReviewPanel
        asset={asset}
        view={view}
        refused={refused.review}
        state={state}
        annotations={countSent(marks)}
        commentsOn={team?.sidebar.task?.commentsOn ?? null}
      />
      {team && <div class="toast" id="toast" role="status" hidden />}
    </div>
  );
  return {
    title: isolateBidi(asset.title),
    navEntry: "assets",
    body,
    islands: [guest ? "guest-desk.js" : "review-desk.js"],
    ...(!guest && { firstScript: "unsent-reviews.js" }),
    connectOrigins: [
      ...(guest ? [] : bucketOrigins(view)),
      ...fetchOrigins(ctx.config, [asset, compared]),
      ...(compared?.kind === "image" ? [ctx.config.contentUrl] : []),
    ],
  };
}

/** `rejected by jonas, replaced by version 2` for a version that is not the newest. */
function AssetStatus({ asset, view }: { asset: AssetDetail; view: View }) {
  const own = asset.versions.find(({ id }) => id === asset.id);
  const newest = asset.versions.at(-1);
  if (asset.status !== "superseded" || !own || !newest) return <Status status={asset.status} />;
  return (
    <>
      {own.verdict && <Status status={own.verdict} />}{" "}
      <span class="soft">
        {own.verdict && own.reviewed_by && (
          <>
            by <Actor of={own.reviewed_by} />,{" "}
          </>
        )}
        replaced by{" "}
        <a href={view.guest ? guestVersionUrl(view, newest) : deskUrl(newest, view.url)}>
          version {newest.version}
        </a>
      </span>
    </>
  );
}

/** What the script of the desk reads: it reviews without leaving the page. */
const deskData = (asset: AssetDetail, queue: QueuePosition) => ({
  id: "desk",
  "data-id": asset.id,
  "data-sha256": asset.sha256,
  "data-status": asset.status,
  "data-title": isolateBidi(asset.title),
  "data-reviewed": asset.reviewed_at ?? "",
  "data-last-verdict": asset.verdicts.at(-1)?.at ?? "",
  "data-next": queue.following.join(" "),
});
