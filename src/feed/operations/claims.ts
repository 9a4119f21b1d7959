/** Operations on claims. */

import { operationOf } from "../../core/operation.ts";
import * as claims from "../claims/claims.ts";
import { ClaimInput, ClaimList, ClaimResult, ClaimsQuery } from "../claims/schema.ts";
import { claimResultText } from "../claims/text.ts";
import type { FeedContext } from "../context.ts";

const operation = operationOf<FeedContext>("runs");
const path = "/projects/{slug}/claims";
const params = { project: "slug" };

export const listClaims = operation({
  id: "listClaims",
  summary: "List claims",
  description: "Who says that they work on which task, pull request, or files of a project, and until when.",
  scope: "feed:read",
  http: { method: "GET", path, params, errors: [404] },
  input: ClaimsQuery,
  output: ClaimList,
  run: claims.listClaims,
});

export const claimWork = operation({
  id: "claimWork",
  summary: "Claim work",
  description: "Says that you work on a task or files. It ends with your run.",
  scope: "feed:write",
  http: { method: "POST", path, params, body: "ClaimRequest", errors: [404, 409] },
  tool: {
    name: "svc_claim",
    title: "Claim work",
    text: claimResultText,
    unlistedFields: ["by", "force"],
    idempotent: true,
  },
  input: ClaimInput,
  output: ClaimResult,
  run: claims.claim,
});
