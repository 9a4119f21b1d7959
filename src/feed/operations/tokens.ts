/** Operations on tokens, for admins. None shows a secret: tokens are minted on the machine of the database. */
import { Type } from "@sinclair/typebox";
import {
  AccessToken,
  ActivityQuery,
  TokenActivity,
  TokenList,
  TokenOwnerInput,
  TokenPath,
  TokenReviewRoleInput,
} from "../../core/auth/token-requests.ts";
import { type HttpBinding, operationOf } from "../../core/operation.ts";
import type { FeedContext } from "../context.ts";
import { listTokenActivity } from "../token-activity.ts";
import * as tokens from "../tokens.ts";

const operation = operationOf<FeedContext>("tokens");

const forAdmins = { scope: "public", token: "admin" } as const;

export const listTokens = operation({
  ...forAdmins,
  id: "listTokens",
  summary: "List tokens",
  description: "All tokens without their secrets, oldest first; revoked and expired ones too.",
  http: { method: "GET", path: "/tokens", errors: [401, 403] },
  input: Type.Object({}),
  output: TokenList,
  run: async (ctx) => ({ tokens: await tokens.listTokens(ctx) }),
});

export const revokeToken = operation({
  ...forAdmins,
  id: "revokeToken",
  summary: "Revoke a token",
  description: "Ends the token at once, with the sessions and sign-in links that were opened with it.",
  http: { method: "POST", path: "/tokens/{name}/revoke", media: null, errors: [401, 403, 404] },
  input: TokenPath,
  output: AccessToken,
  run: tokens.revokeToken,
});

const settingOf = <const P extends string, const B extends string>(path: P, body: B) =>
  ({
    method: "PUT" as const,
    path,
    hasOptionalBody: true,
    body,
    errors: [401, 403, 404],
  }) satisfies HttpBinding;

export const setTokenOwner = operation({
  ...forAdmins,
  id: "setTokenOwner",
  summary: "Set the owner of a token",
  description: "Whose work it does from now on; without fields, that of no person or team.",
  http: settingOf("/tokens/{name}/owner", "TokenOwnerRequest"),
  input: TokenOwnerInput,
  output: AccessToken,
  run: tokens.setTokenOwner,
});

export const setTokenReviewRole = operation({
  ...forAdmins,
  id: "setTokenReviewRole",
  summary: "Set the review role of a token",
  description: "What its reviews count for in review policies; without a role, the role of its scopes.",
  http: settingOf("/tokens/{name}/review-role", "TokenReviewRoleRequest"),
  input: TokenReviewRoleInput,
  output: AccessToken,
  run: tokens.setReviewRole,
});

export const getTokenActivity = operation({
  ...forAdmins,
  id: "getTokenActivity",
  summary: "Sum up what was done with a token",
  description: "Its requests that wrote or were refused, and its events, by what they were.",
  http: { method: "GET", path: "/tokens/{name}/activity", errors: [401, 403, 404] },
  input: ActivityQuery,
  output: TokenActivity,
  run: listTokenActivity,
});
