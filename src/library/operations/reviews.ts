/** Operations on reviews and requests for them. */

import { operationOf } from "../../core/operation.ts";
import type { LibraryContext } from "../context.ts";
import {
  requestReview as askForReview,
  listReviewRequests as loadReviewRequests,
} from "../review-requests/request.ts";
import { ReviewRequestInput, ReviewRequestsQuery } from "../review-requests/requests.ts";
import { ReviewRequest, ReviewRequestList } from "../review-requests/schema.ts";
import { waitForReview as waitForReviews, waitText } from "../review-requests/wait.ts";
import { ReviewQuery, ReviewWait, SetWaitQuery, WaitInput } from "../review-requests/wait-schema.ts";
import { reviewSet as reviewVariants } from "../variant-sets/review.ts";
import { SetReview, SetReviewInput } from "../variant-sets/schema.ts";

const operation = operationOf<LibraryContext>("reviews");

export const requestReview = operation({
  id: "requestReview",
  summary: "Ask for a review",
  description:
    "Puts a pending asset first in the queue and inbox of its reviewers. Then wait for the review.",
  scope: "assets:write",
  http: { method: "POST", path: "/assets/{id}/review-requests", errors: [404, 409] },
  tool: {
    name: "svc_request_review",
    title: "Ask for a review",
    idempotent: true,
    reviewCard: true,
  },
  input: ReviewRequestInput,
  output: ReviewRequest,
  run: askForReview,
});

export const listReviewRequests = operation({
  id: "listReviewRequests",
  summary: "List review requests",
  description: "The open ones. Those that are due come first, in the order of their due time.",
  scope: "assets:read",
  http: { method: "GET", path: "/review-requests" },
  input: ReviewRequestsQuery,
  output: ReviewRequestList,
  run: loadReviewRequests,
});

export const getReview = operation({
  id: "getReview",
  summary: "Get a review, or wait for it",
  description:
    "With `wait`, the response comes as soon as one of the assets is reviewed or replaced, or after that " +
    "many seconds; waiting counts as one request. A token can wait 8 times at once. `pending` is never an " +
    "approval: repeat with the `cursor`.",
  scope: "assets:read",
  http: { method: "GET", path: "/assets/{id}/review", params: { ids: "id" }, errors: [404, 429] },
  input: ReviewQuery,
  output: ReviewWait,
  run: (ctx, { wait = 0, ...query }, caller, control) =>
    waitForReviews(ctx, { ...query, timeout_s: wait }, caller, control),
});

export const getSetReview = operation({
  id: "getSetReview",
  summary: "Get the review of a variant set, or wait for it",
  description:
    "With `wait`, the response comes as soon as all variants are decided, or after that many seconds with " +
    "what is decided so far. With `after` it also comes once more variants are decided.",
  scope: "assets:read",
  http: { method: "GET", path: "/assets/review", errors: [404, 429] },
  input: SetWaitQuery,
  output: ReviewWait,
  run: (ctx, { wait = 0, ...query }, caller, control) =>
    waitForReviews(ctx, { ...query, timeout_s: wait }, caller, control),
});

export const waitForReview = operation({
  id: "waitForReview",
  summary: "Wait for a review",
  description:
    "Returns once a person has reviewed one of the assets (a rejection comes with its note), once a set is " +
    "decided, or at the timeout, which is never an approval: call again with the cursor.",
  scope: "assets:read",
  tool: {
    name: "svc_wait_for_review",
    title: "Wait for a review",
    reportsProgress: true,
    text: waitText,
    structured: true,
  },
  input: WaitInput,
  output: ReviewWait,
  run: waitForReviews,
});

export const reviewSet = operation({
  id: "reviewSet",
  summary: "Review a variant set",
  description:
    "Approves the picked variants and rejects the others with one note, each as a review of its own: one " +
    "that changed meanwhile is refused, and the others are not. The rejected ones become one decision, " +
    "which says what was picked over what. Repeating the call changes nothing.",
  scope: "assets:review",
  http: { method: "PUT", path: "/assets/review", body: "SetReviewRequest", errors: [404, 409] },
  input: SetReviewInput,
  output: SetReview,
  run: reviewVariants,
});
