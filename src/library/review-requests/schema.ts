/** Schemas of review requests: who was asked to review an asset, by whom and until when. */
import { type Static, Type } from "@sinclair/typebox";
import { DateTime, Line, Nullable, Slug } from "../../core/wire.ts";
import { ReviewUrl } from "../assets/ids.ts";

const reviewersMax = 6;
const Reviewer = Line(63);
export const Reviewers = Type.Array(Reviewer, {
  maxItems: reviewersMax,
  description: "Tokens or roles; default: everyone who can review.",
  examples: [["reviewer"]],
});
export const Question = Line(280, { description: "What to look at.", examples: ["Is the depth readable?"] });
export const Due = DateTime({
  description: "When the review is due.",
  examples: ["2030-01-02T15:00:00Z"],
});

/** `RequestedReview` in documents: there, `ReviewRequest` is the body of a review. */
export const ReviewRequest = Type.Object(
  {
    asset_id: Type.String({ description: "Id of the asset.", examples: ["01J9ZC5W8Q4T3M2N1K0H7G6F5D"] }),
    sha256: Type.String({
      description: "SHA-256 of the file to review.",
      examples: ["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    }),
    asked_by: Type.String({ description: "Actor, `<kind>:<name>`.", examples: ["agent:codex"] }),
    reviewers: Type.Array(Type.String(), {
      description: "Names of tokens or roles; empty: everyone who can review.",
      examples: Reviewers.examples,
    }),
    question: Nullable(Type.String({ examples: Question.examples })),
    due_at: Nullable(Due),
    created_at: DateTime(),
    review_url: ReviewUrl,
    reminded_at: Nullable(DateTime({ description: "When the last `review.overdue` was written." })),
  },
  { $id: "RequestedReview", description: "An open request for a review. It ends with the review." },
);
export type ReviewRequest = Static<typeof ReviewRequest>;

/** An open request with its asset. */
export const ListedReviewRequest = Type.Object({
  ...ReviewRequest.properties,
  project: Slug,
  title: Type.String({ examples: ["Map of the harbor"] }),
  version: Type.Integer({ minimum: 1 }),
});
export type ListedReviewRequest = Static<typeof ListedReviewRequest>;

export const ReviewRequestList = Type.Object(
  { review_requests: Type.Array(ListedReviewRequest) },
  { $id: "RequestedReviewList", description: "Open requests, those due first at the front." },
);
export type ReviewRequestList = Static<typeof ReviewRequestList>;
