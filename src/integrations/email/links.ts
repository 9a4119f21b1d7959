/**
 * The links of mails: to confirm a digest, and to unsubscribe. Their token is an HMAC of the digest's id with
 * the secret of the deployment, so that no token is stored, and links of old mails keep working.
 */

import { constantTimeEqual } from "../../core/lib/constant-time.ts";
import type { IntegrationsContext } from "../context.ts";

export type LinkPurpose = "confirm" | "unsubscribe";

/** 32 characters of base64url: 192 bits. */
const signature = (secret: string, purpose: LinkPurpose, id: string): string =>
  new Bun.CryptoHasher("sha256", `svc email ${purpose} ${secret}`)
    .update(id)
    .digest("base64url")
    .slice(0, 32);

/** The URL of a page that asks for a click; a mail client unsubscribes with a POST to it (RFC 8058). */
export const emailLink = (
  { config, secret }: Pick<IntegrationsContext, "config" | "secret">,
  purpose: LinkPurpose,
  id: string,
): string => `${config.siteUrl}/email/${purpose}?token=${id}.${signature(secret, purpose, id)}`;

/** The id of the digest that a token is for; null if it is not valid for this purpose. */
export function digestOfToken(secret: string, purpose: LinkPurpose, token: string): string | null {
  const [, id, received] = /^([0-9A-Z]{26})\.([\w-]{32})$/.exec(token) ?? [];
  if (!id || !received) return null;
  return constantTimeEqual(signature(secret, purpose, id), received) ? id : null;
}
