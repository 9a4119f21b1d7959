/** Operations on review policies. */

import { operationOf } from "../../core/operation.ts";
import type { LibraryContext } from "../context.ts";
import * as policies from "../verdicts/policies.ts";
import { PoliciesPath, PolicyInput } from "../verdicts/requests.ts";
import { ReviewPolicyList, ReviewPolicySet } from "../verdicts/schema.ts";

const operation = operationOf<LibraryContext>("reviews");

export const listReviewPolicies = operation({
  id: "listReviewPolicies",
  summary: "List review policies",
  description: "Who has to approve the assets of a project, for each kind that has a policy.",
  scope: "assets:read",
  http: { method: "GET", path: "/projects/{slug}/review-policies", errors: [404] },
  input: PoliciesPath,
  output: ReviewPolicyList,
  run: policies.listReviewPolicies,
});

export const setReviewPolicy = operation({
  id: "setReviewPolicy",
  summary: "Set a review policy",
  description:
    "Sets which review roles have to approve the assets of a project and kind, and how many reviewers of " +
    "each. An asset stays pending until all have approved; one rejection rejects it, and its author cannot " +
    "approve it. It applies to the reviews that follow.",
  scope: "reviews:write",
  http: {
    method: "PUT",
    path: "/projects/{slug}/review-policies/{kind}",
    body: "ReviewPolicyRequest",
    errors: [404],
  },
  input: PolicyInput,
  output: ReviewPolicySet,
  run: policies.setReviewPolicy,
});
