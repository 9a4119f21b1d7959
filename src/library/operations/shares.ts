/** Operations on share links. */

import { operationOf } from "../../core/operation.ts";
import type { LibraryContext } from "../context.ts";
import {
  CreatedShare,
  NewProjectShare,
  NewShare,
  Share,
  ShareList,
  ShareLog,
  ShareLogQuery,
  SharePath,
  ShareRenewal,
  SharesQuery,
  ShareUpdate,
  shareLogDays,
} from "../shares/schema.ts";
import {
  createShare as create,
  createProjectShare as createForProject,
  listShares as list,
  loadShare as load,
  loadShareLog,
  renewShare as renew,
  revokeShare as revoke,
  updateShare as update,
} from "../shares/shares.ts";

const operation = operationOf<LibraryContext>();

const shared = { tag: "shares", scope: "assets:review" } as const;

export const createShare = operation({
  ...shared,
  id: "createShare",
  summary: "Create a share link",
  description:
    "A URL for people without a token. It never allows more than your token does, and ends with it. The " +
    "answer has the URL, this once.",
  writes: true,
  http: { method: "POST", path: "/assets/{id}/shares", status: 201, body: "ShareRequest", errors: [404] },
  input: NewShare,
  output: CreatedShare,
  run: create,
});

export const createProjectShare = operation({
  ...shared,
  id: "createProjectShare",
  summary: "Create a share link to a queue or a set",
  description:
    "A URL with which people without a token review what waits in the project, also what comes later, or a " +
    "variant set. Everything else is as with a link to an asset.",
  writes: true,
  http: {
    method: "POST",
    path: "/projects/{slug}/shares",
    status: 201,
    body: "ProjectShareRequest",
    errors: [404],
  },
  input: NewProjectShare,
  output: CreatedShare,
  run: createForProject,
});

export const listShares = operation({
  ...shared,
  id: "listShares",
  summary: "List share links",
  description: "All share links of your projects, from every creator, without their secrets.",
  http: { method: "GET", path: "/shares" },
  input: SharesQuery,
  output: ShareList,
  run: list,
});

export const getShare = operation({
  ...shared,
  id: "getShare",
  summary: "Get a share link",
  description: "Without its secret.",
  http: { method: "GET", path: "/shares/{id}", errors: [404] },
  input: SharePath,
  output: Share,
  run: load,
});

export const updateShare = operation({
  ...shared,
  id: "updateShare",
  summary: "Change a share link",
  description:
    "Only the recipient can change, and the expiry to an earlier time. To extend a link, renew it.",
  writes: true,
  http: { method: "POST", path: "/shares/{id}", body: "ShareUpdate", errors: [404, 409] },
  input: ShareUpdate,
  output: Share,
  run: update,
});

export const renewShare = operation({
  ...shared,
  id: "renewShare",
  summary: "Renew a share link",
  description:
    "The link works again, or for longer, with everything else unchanged. Only its creator or an admin can.",
  writes: true,
  http: { method: "POST", path: "/shares/{id}/renew", body: "ShareRenewal", errors: [404, 409] },
  input: ShareRenewal,
  output: Share,
  run: renew,
});

export const revokeShare = operation({
  ...shared,
  id: "revokeShare",
  summary: "Revoke a share link",
  description: "The link, its sessions and its files stop working immediately. Repeating it changes nothing.",
  writes: true,
  http: { method: "POST", path: "/shares/{id}/revoke", media: null, errors: [404] },
  input: SharePath,
  output: Share,
  run: revoke,
});

export const getShareLog = operation({
  ...shared,
  id: "getShareLog",
  summary: "Get the log of a share link",
  description: `What people with the link did in the last ${shareLogDays} days, newest first.`,
  http: { method: "GET", path: "/shares/{id}/log", errors: [404] },
  input: ShareLogQuery,
  output: ShareLog,
  run: loadShareLog,
});
