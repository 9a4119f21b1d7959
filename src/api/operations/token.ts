import { Type } from "@sinclair/typebox";
import { createTokenSignInLink, tokenLinkHours } from "../../core/auth/sign-in-link.ts";
import { CreatedSignInLink, SignInLinkInput } from "../../core/auth/sign-in-link-schema.ts";
import { TokenInfo } from "../../core/auth/token.ts";
import { describeToken } from "../../core/auth/whoami.ts";
import { operation } from "./operation.ts";

export const getToken = operation({
  id: "getToken",
  tag: "info",
  summary: "Describe your token",
  description: "The name, scopes, projects, and expiry of the token of this request.",
  scope: "public",
  token: "any",
  http: { method: "GET", path: "/token", errors: [401] },
  input: Type.Object({}),
  output: TokenInfo,
  run: async (_ctx, _input, caller) => describeToken(caller),
});

export const createSignInLink = operation({
  id: "createSignInLink",
  tag: "info",
  summary: "Create a sign-in link for a token",
  description:
    "A URL that signs in to the website once, with the permissions of the token: for a person who has the " +
    `token, or does not need to know it. It works within ${tokenLinkHours} hours, and ends with the token, ` +
    "and with yours. The session has no more permissions than the token, and ends with the same two. You " +
    "get a 403 for a token with permissions that yours lacks. With `email`, the sign-in page offers to " +
    "mail a new link once the session has expired, if this deployment sends mail.",
  scope: "public",
  token: "admin",
  writes: true,
  http: {
    method: "POST",
    path: "/tokens/{name}/sign-in-links",
    status: 201,
    hasOptionalBody: true,
    body: "SignInLinkRequest",
    errors: [401, 403, 404],
  },
  input: SignInLinkInput,
  output: CreatedSignInLink,
  run: createTokenSignInLink,
});
