/** Operations on share links. */

import { operationOf } from "../../core/operation.ts";
import type { LibraryContext } from "../context.ts";
import {
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
  listShares as list,
  loadShare as load,
  loadShareLog,
  renewShare as renew,
  revokeShare as revoke,
  updateShare as update,
} from "../shares/shares.ts";

const operation = operationOf<LibraryContext>("shares");

const shared = { scope: "assets:review" } as const;

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
