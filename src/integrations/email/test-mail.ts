/** A mail that shows whether the mail server takes one. */
import type { IntegrationsRule } from "../context.ts";
import { mailDocument, paragraph } from "./html-body.ts";
import { mailProblem, requireMail, sendMail } from "./mailer.ts";
import type { TestMailInput, TestMailSent } from "./schema.ts";

/** @throws {Problem} 501 without a mail server, 400 or 503 if it does not take the mail */
export const sendTestMail: IntegrationsRule<TestMailInput, TestMailSent> = async (
  { config, data },
  { address },
  { name },
) => {
  requireMail(config);
  const { hostname } = new URL(config.siteUrl);
  const text = `svc at ${hostname} can send email. ${name} asked for this test in the settings.`;
  await sendMail(config, {
    to: address,
    subject: "Test from svc",
    text,
    html: mailDocument("It works", paragraph(Bun.escapeHTML(text)), ""),
    messageId: `<test.${crypto.randomUUID()}@${hostname}>`,
  }).catch((error) => {
    throw mailProblem(error);
  });
  await data.atomically(async () => ({})); // for its audit entry
  return { address, sent: true };
};
