/** Email: who gets which digest, and a test of the mail server. */
import { isAdmin } from "../../core/auth/permissions.ts";
import type { EmailDigests } from "../../integrations/email/schema.ts";
import { listEmailDigests } from "../../integrations/operations/email.ts";
import { EmptyState, PostForm } from "../layout.tsx";
import { callOperation, type Page, type View } from "../view.ts";
import { DigestForm, DigestList, digestResults } from "./digests.tsx";
import { projectSlugs } from "./projects.tsx";
import { type Outcome, requireScope, settingsFrame } from "./sections.tsx";

export const emailParameters = ["done"];

/** @throws {Problem} 401 or 403 without the scope */
export async function emailPage(view: View, outcome?: Outcome): Promise<Page> {
  requireScope(view, "webhooks:write");
  const { smtpUrl, mailFrom } = view.ctx.config;
  const [{ digests }, slugs] = await Promise.all([
    callOperation<EmailDigests>(view, listEmailDigests),
    projectSlugs(view),
  ]);
  const result = digestResults[view.url.searchParams.get("done") ?? ""];
  return settingsFrame(view, "email", {
    outcome: outcome ?? (result ? { text: result, isGood: true } : undefined),
    children: (
      <>
        <section>
          <h2>Digests</h2>
          {digests.length === 0 && (
            <EmptyState title="No digests yet.">
              <p>A digest has the waiting reviews, runs, failures, decisions and spend of a day or a week.</p>
            </EmptyState>
          )}
          <DigestList view={view} digests={digests} back="/settings/email" />
          {smtpUrl && <DigestForm view={view} action="/settings/email/digests" slugs={slugs} />}
        </section>
        <section>
          <h2>Mail server</h2>
          {smtpUrl ? (
            <p class="soft">
              Mail comes from {mailFrom}: digests, requests for review, and new sign-in links.
            </p>
          ) : (
            <p class="soft">
              This deployment sends no email. Set <code>SVC_SMTP_URL</code> where svc runs, and restart it.
              See <a href="/docs/webhooks#email">Email</a>.
            </p>
          )}
          {smtpUrl && isAdmin(view.visitor.caller) && (
            <PostForm view={view} action="/settings/email/test" class="filters">
              <label>
                Email address <input name="address" type="email" required maxLength={254} />
              </label>
              <button type="submit">Send a test</button>
            </PostForm>
          )}
        </section>
      </>
    ),
  });
}
