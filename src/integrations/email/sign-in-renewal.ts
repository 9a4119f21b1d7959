/** A new sign-in link by mail, for someone whose session has expired. */
import type { FoundSession } from "../../core/auth/authentication.ts";
import { findExpiredSession } from "../../core/auth/session/expired-session.ts";
import { addLink, removeLink, tokenLinkHours } from "../../core/auth/session/sign-in-link.ts";
import { minuteMicros } from "../../core/lib/time.ts";
import { Problem } from "../../core/problem.ts";
import type { IntegrationsContext } from "../context.ts";
import { button, mailDocument, paragraph } from "./html-body.ts";
import { type Mail, MailError, sendMail } from "./mailer.ts";

/** Unused links that an address can have: a mail gets lost, but a stranger at the browser must not flood it. */
const unusedMax = 3;

/**
 * Mails a link with the token of the session to the address of the session. The link ends with the tokens
 * that created the link of the session, as that did.
 * @param ctx with an audit row
 * @throws {Problem} 401 if the session cannot be renewed, 429 if the address has too many unused links, 503
 * if the mail server did not take the mail
 */
export async function mailNewLink(ctx: IntegrationsContext, session: FoundSession): Promise<void> {
  const expired = await findExpiredSession(ctx, session);
  if (!expired?.email) throw new Problem(401, "This session cannot be renewed.");
  const { name, email, endsAt } = expired;
  const at = ctx.now();
  const expires_at = Math.min(at + tokenLinkHours * 60 * minuteMicros, endsAt ?? Number.POSITIVE_INFINITY);
  const link = { actor: session.actor, token: name, created_with: session.created_with, expires_at, email };
  const url = await addLink(ctx, link, async (writes) => {
    if ((await writes.countSignInLinks(email, at)) >= unusedMax)
      throw new Problem(429, "This address has too many sign-in links that were not used.");
  });
  try {
    await sendMail(ctx.config, mailOf(ctx, name, email, url));
  } catch (error) {
    await removeLink(ctx, url);
    if (!(error instanceof MailError)) throw error;
    ctx.log("warn", "cannot mail a sign-in link", { token: name, error: error.message });
    throw new Problem(503, "The mail server did not take the mail.");
  }
}

function mailOf({ config }: IntegrationsContext, name: string, to: string, url: string): Mail {
  const { hostname } = new URL(config.siteUrl);
  const what = `Here is a new link that signs you in to svc at ${hostname} as ${name}.`;
  const expiry = `It works once, within ${tokenLinkHours} hours.`;
  const ignore =
    "It was requested in a browser where you were signed in. If that was not you, ignore this mail.";
  return {
    to,
    subject: "Your sign-in link for svc",
    text: `${what}\n\nSign in: ${url}\n\n${expiry} ${ignore}`,
    html: mailDocument(
      "Sign in to svc",
      paragraph(Bun.escapeHTML(what)) + button(url, "Sign in"),
      `${expiry} ${ignore}`,
    ),
    messageId: `<sign-in.${crypto.randomUUID()}@${hostname}>`,
  };
}
