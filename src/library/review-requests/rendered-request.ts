/** Review requests as responses. */

import { fromMicros, type Micros } from "../../core/lib/time.ts";
import { assetPageUrl, type SiteConfig } from "../assets/page-url.ts";
import type { ListedReviewRequest as ListedRow, ReviewRequestRow } from "../rows.ts";
import type { ListedReviewRequest, ReviewRequest } from "./schema.ts";

const optionalTime = (at: Micros | null): string | null => (at === null ? null : fromMicros(at));

/** The request as clients see it. */
export const toReviewRequest = (config: SiteConfig, row: ReviewRequestRow): ReviewRequest => ({
  asset_id: row.asset,
  sha256: row.sha256,
  asked_by: row.asked_by,
  reviewers: row.reviewers,
  question: row.question,
  due_at: optionalTime(row.due_at),
  created_at: fromMicros(row.created_at),
  review_url: assetPageUrl(config, row.asset),
  reminded_at: optionalTime(row.reminded_at),
});

export const toListedRequest = (config: SiteConfig, row: ListedRow): ListedReviewRequest => ({
  ...toReviewRequest(config, row),
  project: row.project,
  title: row.title,
  version: row.version,
});
