/** Sends a new sign-in link to a visitor whose session has expired. */
import { actionOf } from "../../core/audit/action.ts";
import { tokenLinkHours } from "../../core/auth/sign-in-link.ts";
import { Problem } from "../../core/problem.ts";
import { withAuditRow } from "../../feed/audit-row.ts";
import { mailNewLink } from "../../integrations/email/sign-in-renewal.ts";
import type { Page, View } from "../view.ts";
import { signInPage } from "./sign-in-page.tsx";

/** The same whether or not a mail was sent: it tells nothing about the tokens, or about what others did. */
const answer =
  "If your session can be renewed, a new sign-in link is on its way by mail. It works once, within " +
  `${tokenLinkHours} hours. If none arrives, ask your admin for one.`;

export async function submitRenewal(view: View): Promise<Page> {
  const { ctx, visitor } = view;
  const { expired, ...rest } = visitor;
  if (!expired?.email || !ctx.config.smtpUrl) return signInPage(view, null, 401);
  const name = expired.actor.replace(/^human:/, "");
  const action = actionOf({ ...visitor.caller, name }, "renewSignInLink");
  try {
    await mailNewLink(withAuditRow(ctx, action), expired);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    ctx.audit.recordRefusal(action, error);
  }
  return signInPage({ ...view, visitor: rest }, answer);
}
