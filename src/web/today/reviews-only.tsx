/** Today for people who may not read the feed: their reviews, or else the first page that they may open. */

import { authorize } from "../../core/auth/authorization.ts";
import type { AssetList } from "../../library/assets/schema.ts";
import { listAssets } from "../../library/operations/assets.ts";
import { listReviewRequests } from "../../library/operations/reviews.ts";
import type { ReviewRequestList } from "../../library/review-requests/schema.ts";
import { getToday } from "../../overview/operations/inbox.ts";
import { deskUrl, loadReviewed, ReviewedNotice } from "../assets/asset.tsx";
import { foldSets, Grid } from "../assets/grid.tsx";
import { EmptyState, entriesFor, hasScope } from "../layout.tsx";
import { Time } from "../time.tsx";
import { callOperation, type Page, type View } from "../view.ts";

const listedMax = 24;

/** @throws {Problem} 401 or 403 for a visitor who may open nothing */
export async function todayWithoutFeed(view: View): Promise<Page | Response> {
  if (hasScope(view, "assets:read")) return reviewsPage(view);
  const { ctx, visitor } = view;
  const first = visitor.signedIn && entriesFor(view).find(([, [, , ...anyOf]]) => anyOf.length > 0);
  if (!first) authorize(visitor.caller, getToday.scope, ctx.config);
  const location = first ? first[1][0] : "/more";
  return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
}

async function reviewsPage(view: View): Promise<Page> {
  const [requests, { assets, next_cursor }, reviewed] = await Promise.all([
    hasScope(view, "assets:review")
      ? callOperation<ReviewRequestList>(view, listReviewRequests, { of: "me", limit: listedMax })
      : null,
    callOperation<AssetList>(view, listAssets, { status: "pending", limit: listedMax }),
    loadReviewed(view),
  ]);
  const library = new URL("/assets?status=pending", view.url);
  const [first] = assets;
  const body = (
    <>
      <div class="head">
        <h1>Today</h1>
        {first && hasScope(view, "assets:review") && (
          <a class="button primary to-queue" href={deskUrl(first, library)}>
            Review what waits
          </a>
        )}
      </div>
      <ReviewedNotice reviewed={reviewed} />
      {requests && requests.review_requests.length > 0 && <Asked requests={requests} />}
      <section>
        <h2>Waiting for review</h2>
        {assets.length === 0 ? (
          <EmptyState title="No assets are waiting for review." />
        ) : (
          <Grid
            items={await foldSets(view, assets, { status: "pending" })}
            url={library}
            isSelectable={false}
          />
        )}
        {next_cursor !== null && (
          <p class="older">
            <a class="button" href={library.pathname + library.search}>
              All that wait
            </a>
          </p>
        )}
      </section>
    </>
  );
  return { title: "Today", navEntry: "today", body };
}

const Asked = ({ requests: { review_requests } }: { requests: ReviewRequestList }) => (
  <section>
    <h2>Asked of you</h2>
    <ul>
      {review_requests.map(({ asset_id, title, due_at, question }) => (
        <li key={asset_id}>
          <a href={`/assets/${asset_id}`}>
            <bdi>{title}</bdi>
          </a>
          {due_at && (
            <>
              , due <Time ts={due_at} />
            </>
          )}
          {question && (
            <>
              : <bdi>{question}</bdi>
            </>
          )}
        </li>
      ))}
    </ul>
  </section>
);
