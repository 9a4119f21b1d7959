/** @jsxImportSource preact */
/** The review desk: one asset, what was asked for, its versions, and the verdict. */
import type { AssetDetail } from "../../assets/schema.ts";
import { isolateBidi } from "../../lib/display-text.ts";
import { getAsset } from "../../operations/assets.ts";
import { Reviewed, reviewedOf, Status } from "../asset.tsx";
import { bucketOf } from "../upload.tsx";
import { ask, type Page, type View } from "../view.ts";
import { Compared } from "./compare.tsx";
import { Keys } from "./keys.tsx";
import { Queue, queueAround } from "./queue.tsx";
import { type RefusedReview, Verdict } from "./review-form.tsx";
import { About, Asked, askedOf } from "./sidebar.tsx";
import { Versions } from "./versions.tsx";
import { Viewer } from "./viewer.tsx";

/** @param refused a review from this page that was refused */
export async function deskPage(view: View, refused?: RefusedReview): Promise<Page> {
  const { url, ctx } = view;
  const asset = await ask<AssetDetail>(view, getAsset, { id: view.params.id ?? "" });
  const other = url.searchParams.get("with");
  const [queue, asked, compared, reviewed] = await Promise.all([
    queueAround(view, asset.id),
    askedOf(view, asset),
    other ? ask<AssetDetail>(view, getAsset, { id: other }) : null,
    reviewedOf(view),
  ]);
  const hasPdf = [asset, compared].some((one) => one?.kind === "pdf" && one.url);
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
      <Reviewed asset={reviewed} />
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
        <div class="desk-looks">
          {compared ? await Compared({ asset, other: compared, view }) : <Viewer asset={asset} />}
        </div>
        <aside class="desk-says" aria-label="Review">
          <Verdict asset={asset} view={view} refused={refused} />
          <Asked asked={asked} />
        </aside>
        <div class="desk-below">
          <Versions asset={asset} view={view} other={other} />
          <About asset={asset} />
        </div>
      </div>
      <p class="toast" id="toast" role="status" hidden />
      <Keys />
    </div>
  );
  return {
    title: isolateBidi(asset.title),
    place: "assets",
    body,
    islands: ["desk.js", "upload.js", ...(hasPdf ? (["pdf.js"] as const) : [])],
    asks: [...bucketOf(view), ...(hasPdf ? [ctx.config.contentUrl] : [])],
  };
}
