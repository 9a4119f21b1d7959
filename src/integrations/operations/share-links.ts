/** Operations that create share links, and mail them. */

import { operationOf } from "../../core/operation.ts";
import {
  createShare as create,
  createProjectShare as createForProject,
} from "../../library/shares/create.ts";
import { CreatedShares, NewProjectShare, NewShare } from "../../library/shares/schema.ts";
import type { IntegrationsContext } from "../context.ts";
import { mailLinks } from "../email/share-links.ts";

const operation = operationOf<IntegrationsContext>("shares");

const shared = { scope: "assets:review" } as const;

export const createShare = operation({
  ...shared,
  id: "createShare",
  summary: "Create a share link",
  description:
    "A URL for people without a token, or one for each of several people. It never allows more than your " +
    "token does, and ends with it. The answer has the URLs, this once, but not those that were mailed.",
  http: {
    method: "POST",
    path: "/assets/{id}/shares",
    status: 201,
    body: "ShareRequest",
    errors: [404, 429],
  },
  input: NewShare,
  output: CreatedShares,
  run: async (ctx, input, caller) => mailLinks(ctx, await create(ctx, input, caller), caller),
});

export const createProjectShare = operation({
  ...shared,
  id: "createProjectShare",
  summary: "Create a share link to a queue or a set",
  description:
    "A URL with which people without a token review what waits in the project, also what comes later, or a " +
    "variant set. Everything else is as with a link to an asset.",
  http: {
    method: "POST",
    path: "/projects/{slug}/shares",
    status: 201,
    body: "ProjectShareRequest",
    errors: [404, 429],
  },
  input: NewProjectShare,
  output: CreatedShares,
  run: async (ctx, input, caller) => mailLinks(ctx, await createForProject(ctx, input, caller), caller),
});
