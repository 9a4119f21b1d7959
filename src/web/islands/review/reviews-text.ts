/** What the toast says of reviews: what they decided, and whether others have to decide too. */
import type { PendingReview } from "./pending-reviews.js";

/** A review that was saved. Under a review policy, its asset may wait for other reviewers. */
export interface SavedReview extends PendingReview {
  isWaiting: boolean;
}

/** `Berth map: rejected`, or `3 approved, 2 rejected` */
export function describe(reviews: readonly (PendingReview | SavedReview)[]): string {
  const [first] = reviews;
  const counts = (["approved", "rejected"] as const).flatMap((decision) => {
    const count = reviews.filter((review) => review.decision === decision).length;
    return count > 0 ? [`${count} ${decision}`] : [];
  });
  const text = reviews.length === 1 ? `${first?.title}: ${first?.decision}` : counts.join(", ");
  const waiting = reviews.filter((review) => "isWaiting" in review && review.isWaiting).length;
  if (waiting === 0) return text;
  return `${text}, ${waiting === reviews.length ? "" : `${waiting} `}waiting for other reviewers`;
}
