/** Sign-out at the provider after sign-out here (OpenID Connect RP-Initiated Logout 1.0). */
import type { CoreContext } from "../../context.ts";
import type { Verifying } from "../secret.ts";
import { setCookie } from "../session/cookie.ts";
import type { OidcConfig } from "./config.ts";
import { openIdentity } from "./identity.ts";
import { loadClient, openProvider } from "./provider.ts";
import { seal, unseal } from "./sealed.ts";

type Needs = Pick<CoreContext, "config"> & Verifying;

const purpose = "sign-out";
const rememberedSeconds = 600;
/** A cookie has at most 4,096 bytes, and the ID token of someone in many groups has more. */
const sealedMax = 3_800;

/** The cookie that tells the provider, if the visitor goes there, whose session ends. */
export function signOutCookie(ctx: Needs, sealedIdentity: string): string {
  const idToken = openIdentity(ctx, sealedIdentity)?.idToken ?? "";
  const value = seal(ctx.secret, purpose, { idToken });
  return value.length > sealedMax
    ? setCookie(ctx.config.siteUrl, "oidc", "", 0)
    : setCookie(ctx.config.siteUrl, "oidc", value, rememberedSeconds);
}

/** Null if the provider has no sign-out, or does not answer. Without a cookie it asks who signs out. */
export async function providerSignOutUrl(
  { config, secret }: Needs,
  oidc: OidcConfig,
  cookie: string | null,
): Promise<string | null> {
  const provider = await openProvider(oidc).catch(() => null);
  if (!provider?.serverMetadata().end_session_endpoint) return null;
  const client = await loadClient();
  const idToken = cookie && unseal<{ idToken: string }>(secret, purpose, cookie)?.idToken;
  return client.buildEndSessionUrl(provider, {
    post_logout_redirect_uri: `${config.siteUrl}/sign-in`,
    ...(idToken && { id_token_hint: idToken }),
  }).href;
}
