/**
 * The links of mails, and the mail that asks to confirm a digest. The token of a link is an HMAC of the
 * digest's id with the secret of the deployment: no token is stored, and links of old mails keep working.
 */

import { type Verifying, validSecrets } from "../../core/auth/secret.ts";
import { constantTimeEqual } from "../../core/lib/constant-time.ts";
import type { IntegrationsContext } from "../context.ts";
import type { DigestRow } from "../rows.ts";
import { button, mailDocument, paragraph } from "./html-body.ts";
import type { Mail } from "./mailer.ts";

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
export function digestOfToken(ctx: Verifying, purpose: LinkPurpose, token: string): string | null {
  const [, id, received] = /^([0-9A-Z]{26})\.([\w-]{32})$/.exec(token) ?? [];
  if (!id || !received) return null;
  const isSigned = (secret: string) => constantTimeEqual(signature(secret, purpose, id), received);
  return validSecrets(ctx).some(isSigned) ? id : null;
}

/** A digest that is not confirmed is deleted after this. */
export const confirmDays = 7;

/** The mail that asks to confirm an address. */
export function confirmationMail(ctx: Pick<IntegrationsContext, "config" | "secret">, row: DigestRow): Mail {
  const url = emailLink(ctx, "confirm", row.id);
  const { hostname } = new URL(ctx.config.siteUrl);
  const what = `a ${row.period} digest of ${row.project ?? "all projects"} from svc at ${hostname}`;
  const ignore = `If you do not want it, ignore this mail: nothing is sent without your confirmation.`;
  const expiry = `The link works for ${confirmDays} days.`;
  return {
    to: row.address,
    subject: `Confirm your ${row.period} digest from svc`,
    text: `This address was added to ${what}. Confirm to get it.\n\nConfirm: ${url}\n\n${expiry} ${ignore}`,
    html: mailDocument(
      "Confirm your digest",
      paragraph(Bun.escapeHTML(`This address was added to ${what}. Confirm to get it.`)) +
        button(url, "Confirm"),
      `${expiry} ${ignore}`,
    ),
    messageId: `<confirm.${row.id}@${hostname}>`,
  };
}
