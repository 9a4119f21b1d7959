/** The variables of sign-in with OpenID Connect. Without an issuer, it is off. */
import { ConfigError, text, type Variable, variable } from "../../config-parsers.ts";
import { isLoopback } from "../../lib/http/hosts.ts";
import { type AccessRule, parseAccessRules } from "./access-rules.ts";

export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: string;
  scope: string;
  groupsClaim: string;
  access: readonly AccessRule[];
  /** What people call the provider. */
  label: string;
}

/** Tokens of people go there, so only a provider on the same machine may have no TLS. */
function parseIssuer(value: string): string | undefined {
  if (value === "") return value;
  if (!URL.canParse(value)) return undefined;
  const { protocol, hostname, search, hash } = new URL(value);
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  return isSafe && !search && !hash ? value : undefined;
}

export const oidcVariables = {
  SVC_OIDC_ISSUER: variable(
    "",
    "OpenID Connect provider with which people [sign in](/docs/people#single-sign-on). Off by default.",
    "an https URL, or http on this machine",
    parseIssuer,
  ),
  SVC_OIDC_CLIENT_ID: text("", "The id of svc at the provider."),
  SVC_OIDC_CLIENT_SECRET: text("", "Its secret; empty for a public client."),
  SVC_OIDC_SCOPE: text("openid profile email", "What svc asks the provider for.", "scopes"),
  SVC_OIDC_GROUPS_CLAIM: text("groups", "The claim with a person's groups, also as a path: `a.b`."),
  SVC_OIDC_ACCESS: variable(
    "",
    "The roles of groups; the first match counts: `admins=admin; design=reviewer@atlas; *=reader`.",
    "group=role or group=role@project+project, separated by ;",
    parseAccessRules,
  ),
  SVC_OIDC_LABEL: text("", "The provider's name on the sign-in page. Defaults to its host."),
};

type Values = {
  [N in keyof typeof oidcVariables]: (typeof oidcVariables)[N] extends Variable<infer T> ? T : never;
};

/** @throws {ConfigError} if a variable is missing beside the issuer */
export function readOidcConfig(value: Values): OidcConfig | null {
  const issuer = value.SVC_OIDC_ISSUER;
  if (!issuer) return null;
  if (!value.SVC_OIDC_CLIENT_ID)
    throw new ConfigError("SVC_OIDC_ISSUER is set, so SVC_OIDC_CLIENT_ID has to name svc at the provider");
  if (value.SVC_OIDC_ACCESS.length === 0)
    throw new ConfigError(
      "SVC_OIDC_ISSUER is set, so SVC_OIDC_ACCESS has to say who may do what, such as `*=reader`",
    );
  return {
    issuer,
    clientId: value.SVC_OIDC_CLIENT_ID,
    clientSecret: value.SVC_OIDC_CLIENT_SECRET,
    scope: value.SVC_OIDC_SCOPE,
    groupsClaim: value.SVC_OIDC_GROUPS_CLAIM,
    access: value.SVC_OIDC_ACCESS,
    label: value.SVC_OIDC_LABEL || new URL(issuer).host,
  };
}
