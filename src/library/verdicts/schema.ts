/** Schemas of verdicts and review policies. They are part of assets, so they import nothing from there. */

import { type Static, Type } from "@sinclair/typebox";
import { ReviewRole } from "../../core/auth/review-role.ts";
import { Choice, DateTime, Nullable, Slug } from "../../core/wire.ts";
import { Answers } from "../checklists/schema.ts";

export const rolesMax = 6;
export const approvalsMax = 10;
const RoleCount = Type.Object({
  role: ReviewRole,
  count: Type.Integer({ minimum: 1, maximum: approvalsMax }),
});
export type RoleCount = Static<typeof RoleCount>;
export const Need = Type.Array(RoleCount, {
  maxItems: rolesMax,
  description: "Who has to approve; empty: one approval of anyone.",
  examples: [[{ role: "design", count: 1 }]],
});

export const Approvals = Type.Object({
  have: Type.Integer({ minimum: 0, examples: [1] }),
  need: Type.Integer({ minimum: 1, examples: [2] }),
  missing: Type.Array(RoleCount, { examples: [[{ role: "design", count: 1 }]] }),
});
export type Approvals = Static<typeof Approvals>;

export const decisions = ["approved", "rejected"] as const;
export type Decision = (typeof decisions)[number];

/** What one reviewer decided about the file of one version. */
export const Verdict = Type.Object({
  asset_id: Type.String(),
  sha256: Type.String(),
  reviewer: Type.String({ examples: ["human:maria"] }),
  role: Nullable(Type.String({ description: "The role that it counts for." })),
  decision: Choice(decisions),
  note: Nullable(Type.String()),
  checklist: Nullable(Answers),
  at: DateTime(),
});
export type Verdict = Static<typeof Verdict>;

export const ReviewPolicy = Type.Object(
  {
    project: Slug,
    kind: Type.String({ description: "Kind of the assets.", examples: ["image"] }),
    need: Need,
    changed_by: Type.String({ description: "Actor, `<kind>:<name>`.", examples: ["human:maria"] }),
    changed_at: DateTime(),
  },
  { $id: "ReviewPolicy", description: "Who has to approve the assets of a project and kind." },
);
export type ReviewPolicy = Static<typeof ReviewPolicy>;

export const ReviewPolicyList = Type.Object(
  { policies: Type.Array(ReviewPolicy, { description: "Sorted by kind." }) },
  { $id: "ReviewPolicyList" },
);
export type ReviewPolicyList = Static<typeof ReviewPolicyList>;

export const ReviewPolicySet = Type.Object(
  {
    ...ReviewPolicy.properties,
    changed: Type.Boolean({ description: "False if it was the same already." }),
  },
  { $id: "ReviewPolicySet" },
);
export type ReviewPolicySet = Static<typeof ReviewPolicySet>;
