/** Operations that end the access of someone who leaves, for admins. */
import { operationOf } from "../../core/operation.ts";
import type { IntegrationsContext } from "../context.ts";
import { offboard as end, previewOffboarding as preview } from "../offboarding/offboard.ts";
import { Offboarding, OffboardingInput, OffboardingPath } from "../offboarding/schema.ts";

const operation = operationOf<IntegrationsContext>("people");

const forAdmins = { scope: "public", token: "admin" } as const;

export const previewOffboarding = operation({
  ...forAdmins,
  id: "previewOffboarding",
  summary: "Preview an offboarding",
  description: "What a person, or a token without a person, has: all that ends or is handed over.",
  http: { method: "GET", path: "/offboarding/{name}", errors: [401, 403, 404] },
  input: OffboardingPath,
  output: Offboarding,
  run: (ctx, input) => preview(ctx, input),
});

export const offboard = operation({
  ...forAdmins,
  id: "offboard",
  summary: "Offboard a person",
  description:
    "Revokes their tokens, ends sessions and sign-in links, removes their email digests, and hands over " +
    "the rest: all or nothing. Without `to`, share links are revoked and webhooks paused.",
  http: {
    method: "POST",
    path: "/offboarding/{name}",
    hasOptionalBody: true,
    body: "OffboardingRequest",
    errors: [401, 403, 404],
  },
  input: OffboardingInput,
  output: Offboarding,
  run: end,
});
