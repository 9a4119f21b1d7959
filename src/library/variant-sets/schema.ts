/** Schemas of variant sets: those that wait for a review, and their review. */
import { type Static, Type } from "@sinclair/typebox";
import { Count, Id, Nullable, Slug, Uri } from "../../core/wire.ts";
import { ReviewInput } from "../assets/requests.ts";
import { Asset, AssetId, AssetStatus, SetName } from "../assets/schema.ts";
import { variantsMax } from "./limits.ts";

export const PendingSet = Type.Object(
  {
    set: Type.String({ examples: SetName.examples }),
    count: Count(`Its pending variants; counted up to ${variantsMax + 1}.`, 40),
    url: Uri({ description: "The page to pick from them." }),
    variants: Type.Array(Asset, { description: "The oldest of them, at most 4." }),
  },
  { $id: "PendingSet", description: "A variant set that waits for a review, which counts as one." },
);
export type PendingSet = Static<typeof PendingSet>;

const { id, decision, sha256, seen_status, seen_reviewed_at, note, checklist, by } = ReviewInput.properties;

const VariantReview = Type.Object({
  id,
  decision,
  sha256,
  seen_reviewed_at,
  seen_status: { ...seen_status, default: "pending" },
});
export type VariantReview = Static<typeof VariantReview>;

export const SetReviewInput = Type.Object({
  project: Slug,
  set: { ...SetName, description: "Name of the variant set." },
  variants: Type.Array(VariantReview, {
    minItems: 1,
    maxItems: variantsMax,
    description: "The picked ones as approved, the others as rejected. Those that are left out stay pending.",
    examples: [[{ id: "01J9ZC5W8Q4T3M2N1K0H7G6F5D", decision: "approved" }]],
  }),
  note: Type.Optional({
    ...note,
    description: "Why the others were not picked; required to reject.",
  }),
  checklist: Type.Optional({ ...checklist, description: "Answers for each approved variant." }),
  by,
});
export type SetReviewInput = Static<typeof SetReviewInput>;

const ReviewedVariant = Type.Object({
  id: Type.String({ description: "Asset id, as given.", examples: AssetId.examples }),
  status: Nullable(AssetStatus),
  error: Nullable(
    Type.Object(
      {
        status: Type.Integer({ description: "As a single review would answer.", examples: [409] }),
        detail: Type.String({ examples: ["human:maria approved this asset after you opened it."] }),
      },
      { description: "Why it was not reviewed; null if it was." },
    ),
  ),
});
export type ReviewedVariant = Static<typeof ReviewedVariant>;

export const SetReview = Type.Object(
  {
    project: Slug,
    set: Type.String({ examples: SetName.examples }),
    reviewed: Type.Array(ReviewedVariant, { description: "Every variant, in the order given." }),
    refused: Count("How many were not reviewed.", 0),
    decision_id: Nullable(
      Id({ description: "The decision of the set; null without a rejected variant.", examples: [31] }),
    ),
  },
  { $id: "SetReview" },
);
export type SetReview = Static<typeof SetReview>;
