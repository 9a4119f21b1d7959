/**
 * Mails links to the people that they were made for. A link that was mailed is shown to no one else, so a
 * review through it is that person's. Addresses are not stored: a link that is renewed keeps its URL.
 */
import type { Caller } from "../../core/auth/caller.ts";
import type { NewLink } from "../../library/shares/create.ts";
import type { CreatedShare, CreatedShares } from "../../library/shares/schema.ts";
import type { IntegrationsContext, IntegrationsRule } from "../context.ts";
import { button, mailDocument, paragraph } from "./html-body.ts";
import { type Mail, MailError, sendMail } from "./mailer.ts";

/** After this long no other mail is begun, so that a slow mail server does not hold the request. */
const mailsMaxMs = 20_000;

/** Mails those that have an address. A mail that cannot be sent leaves a link to send by other means. */
export const mailLinks: IntegrationsRule<readonly NewLink[], CreatedShares> = async (ctx, links, caller) => {
  const until = performance.now() + mailsMaxMs;
  const shares: CreatedShare[] = [];
  for (const { share, url, email } of links) {
    if (email === null) {
      shares.push({ ...share, url, mail_problem: null });
      continue;
    }
    const problem =
      performance.now() < until
        ? await mailProblemOf(ctx, mailOf(ctx, email, url, share, caller))
        : "The mail server is too slow.";
    if (problem === null) shares.push({ ...share, url: null, mail_problem: null });
    else {
      await ctx.data.atomically((writes) => writes.changeShare(share.id, { name_source: "recipient" }));
      shares.push({ ...share, name_source: "recipient", url, mail_problem: problem });
    }
  }
  return { shares };
};

/** Why a mail was not sent; null if it was. */
async function mailProblemOf({ config, log }: IntegrationsContext, mail: Mail): Promise<string | null> {
  if (!config.smtpUrl) return "This deployment sends no email.";
  try {
    await sendMail(config, mail);
    return null;
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    log("warn", "cannot mail a share link", { error: error.message });
    return "The mail server did not take the mail.";
  }
}

/** Nothing that others typed is in it: a mail of svc is no means to send texts to strangers. */
function mailOf(
  { config }: IntegrationsContext,
  to: string,
  url: string,
  { id, expires_at, subject }: NewLink["share"],
  { name }: Caller,
): Mail {
  const { hostname } = new URL(config.siteUrl);
  const what = subject === "asset" ? "a file" : "files";
  const from = name ?? "An admin";
  const text = `${from} shared ${what} with you on svc at ${hostname}. The link is for you alone.`;
  const end = expires_at.slice(0, 16).replace("T", " ");
  const until = `It works until ${end} UTC. What is done with it has your name.`;
  return {
    to,
    subject: `Shared with you on ${hostname}`,
    text: `${text}\n\nOpen: ${url}\n\n${until}`,
    html: mailDocument("Shared with you", paragraph(Bun.escapeHTML(text)) + button(url, "Open"), until),
    messageId: `<share.${id}@${hostname}>`,
  };
}
