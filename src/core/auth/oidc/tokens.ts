/** What the provider's tokens and its UserInfo endpoint tell of a person. */
import type { Configuration, TokenEndpointResponse, TokenEndpointResponseHelpers } from "openid-client";
import type { CoreContext } from "../../context.ts";
import { secondMicros } from "../../lib/time.ts";
import { type Claims, emailOf, groupsOf } from "./claims.ts";
import type { OidcConfig } from "./config.ts";
import type { Identity } from "./identity.ts";
import { loadClient } from "./provider.ts";

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;
type Needs = Pick<CoreContext, "now">;

interface Person {
  identity: Identity;
  claims: Claims;
}

/**
 * The identity of new tokens.
 * @param before of which they are a refresh: without a new refresh or ID token, the old one is still valid
 */
export async function readTokens(
  ctx: Needs,
  oidc: OidcConfig,
  provider: Configuration,
  tokens: Tokens,
  before?: Identity,
): Promise<Person> {
  const idClaims: Claims = tokens.claims() ?? {};
  const subject = String(idClaims.sub ?? before?.subject);
  const lifetime = tokens.expiresIn();
  const identity = {
    issuer: oidc.issuer,
    subject,
    accessToken: tokens.access_token,
    accessUntil: lifetime === undefined ? null : ctx.now() + lifetime * secondMicros,
    refreshToken: tokens.refresh_token ?? before?.refreshToken ?? null,
    idToken: tokens.id_token ?? before?.idToken ?? "",
  };
  const userInfo = await readUserInfo(provider, identity);
  const groups = groupsOf(userInfo, oidc.groupsClaim);
  const claims = { ...idClaims, ...userInfo };
  return {
    identity: {
      ...identity,
      groups: groups ?? groupsOf(idClaims, oidc.groupsClaim) ?? [],
      groupsFrom: groups ? "userinfo" : "id_token",
      email: emailOf(claims, before?.email),
      answeredAt: ctx.now(),
    },
    claims,
  };
}

/** Empty if the provider has no such endpoint. @throws if it refuses, or does not answer */
export async function readUserInfo(
  provider: Configuration,
  { accessToken, subject }: Pick<Identity, "accessToken" | "subject">,
): Promise<Claims> {
  if (!provider.serverMetadata().userinfo_endpoint) return {};
  const client = await loadClient();
  return { ...(await client.fetchUserInfo(provider, accessToken, subject)) };
}
