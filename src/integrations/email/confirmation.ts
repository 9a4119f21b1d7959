/** The mail that asks an address to confirm a digest. */
import type { IntegrationsContext } from "../context.ts";
import type { DigestRow } from "../rows.ts";
import { button, mailDocument, paragraph } from "./html-body.ts";
import { emailLink } from "./links.ts";
import type { Mail } from "./mailer.ts";

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
