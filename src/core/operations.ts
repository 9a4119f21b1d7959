/** Operations on the service itself, on sign-in links, and on the audit log. */

import { Type } from "@sinclair/typebox";
import { listAudit as loadAudit } from "./audit/audit-log.ts";
import { AuditPage, AuditQuery } from "./audit/schema.ts";
import type { Caller } from "./auth/caller.ts";
import { createTokenSignInLink, revokeLinks, tokenLinkHours } from "./auth/session/sign-in-link.ts";
import { CreatedSignInLink, SignInLinkInput } from "./auth/session/sign-in-link-schema.ts";
import { TokenInfo } from "./auth/token.ts";
import { RevokedLinks } from "./auth/token-requests.ts";
import type { Config } from "./config.ts";
import type { CoreContext } from "./context.ts";
import { describeService, Info, Methodology, methodology } from "./info.ts";
import { perObject } from "./lib/cache.ts";
import { fromMicros } from "./lib/time.ts";
import { operationOf } from "./operation.ts";
import { Json } from "./rendered-json.ts";

const operation = operationOf<CoreContext>("info");

/** Serialized once: a configuration never changes. */
const infoDocument = perObject((config: Config) => new Json<Info>(JSON.stringify(describeService(config))));

export const getInfo = operation({
  id: "getInfo",
  summary: "Describe the service",
  description: "What the service is, its five rules, the task flow, and links to machine-readable documents.",
  scope: "public",
  stable: true,
  http: { method: "GET", path: "/info" },
  tool: { name: "svc_get_info", title: "Describe the service" },
  input: Type.Object({}),
  output: Info,
  run: async ({ config }) => infoDocument(config),
});

export const getMethodology = operation({
  id: "getMethodology",
  summary: "Explain how the team works",
  description: "The five rules and the task flow, as text. Read it once before your first task.",
  scope: "public",
  stable: true,
  tool: { name: "svc_get_methodology", title: "Explain how the team works", text: ({ text }) => text },
  input: Type.Object({}),
  output: Methodology,
  run: async ({ config }) => methodology(config),
});

/** What a caller may know about its own token. */
const describeToken = ({ name, scopes, projects, expiresAt }: Caller): TokenInfo => ({
  name: name ?? "",
  scopes: [...scopes],
  projects: projects && [...projects],
  expires_at: expiresAt === null ? null : fromMicros(expiresAt),
});

export const getToken = operation({
  id: "getToken",
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
  summary: "Create a sign-in link for a token",
  description:
    "A URL that signs in to the website once, with the permissions of the token: for a person who has the " +
    `token, or does not need to know it. It works within ${tokenLinkHours} hours, and ends with the token, ` +
    "and with yours. The session has no more permissions than the token, and ends with the same two. You " +
    "get a 403 for a token with permissions that yours lacks. With `email`, the sign-in page offers to " +
    "mail a new link once the session has expired, if this deployment sends mail.",
  scope: "public",
  token: "admin",
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

export const revokeSignInLinks = operation({
  id: "revokeSignInLinks",
  tag: "tokens",
  summary: "Revoke all sign-in links",
  description: "Unused links of everyone end, and so do all sessions that were opened with a link.",
  scope: "public",
  token: "admin",
  http: { method: "POST", path: "/sign-in-links/revoke", media: null, errors: [401, 403] },
  input: Type.Object({}),
  output: RevokedLinks,
  run: async (ctx) => ({ sessions: await revokeLinks(ctx) }),
});

export const listAudit = operation({
  id: "listAudit",
  tag: "tokens",
  summary: "Read the audit log",
  description: "Requests that wrote, and refused ones: who, from where, what. Never what a request said.",
  scope: "public",
  token: "admin",
  http: { method: "GET", path: "/audit", errors: [401, 403] },
  input: AuditQuery,
  output: AuditPage,
  run: loadAudit,
});
