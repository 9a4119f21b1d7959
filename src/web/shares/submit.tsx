/** Handles the forms of share links. Each returns the URL to redirect to, or a page. */

import { dayMicros, fromMicros } from "../../core/lib/time.ts";
import { createProjectShare, createShare } from "../../integrations/operations/share-links.ts";
import { renewShare, revokeShare, updateShare } from "../../library/operations/shares.ts";
import { readRecipients } from "../../library/shares/recipients.ts";
import type { CreatedShare, CreatedShares, Share } from "../../library/shares/schema.ts";
import { Notice } from "../notice.tsx";
import { callOperation, type Form, orRefusal, type Page, type View } from "../view.ts";
import { CreateShareForm, type FormSubject } from "./create-form.tsx";
import { shareUrl } from "./lists.tsx";
import { CreatedNotice, sharePage } from "./share.tsx";

/** The time a number of days from now; undefined without a whole number. */
const timeAfter = ({ ctx }: View, days: string | undefined): string | undefined =>
  days && /^\d{1,3}$/.test(days) ? fromMicros(ctx.now() + Number(days) * dayMicros) : undefined;

export const submitNewShare = (view: View, form: Form): Promise<Page> =>
  submitNew(view, form, createShare, { id: view.params.id ?? "" });

export const submitProjectShare = (view: View, form: Form): Promise<Page> =>
  submitNew(view, form, createProjectShare, {
    project: view.params.slug ?? "",
    set: form.get("set") || null,
  });

/** Creates links. Their URLs are on the page that this returns, and nowhere else. */
async function submitNew(
  view: View,
  form: Form,
  create: typeof createShare | typeof createProjectShare,
  subject: FormSubject,
): Promise<Page> {
  const { rights, annotations, follows, passphrase, set, kind } = Object.fromEntries(form);
  const [role, tag] = ["role", "tag"].map((name) => form.get(name)?.trim());
  const of = "id" in subject ? { id: subject.id, follows } : { slug: subject.project, set, kind, tag };
  const work = async () => {
    const { shares } = await callOperation<CreatedShares>(view, create, {
      ...of,
      ...readRecipients(form.get("recipient") ?? ""),
      rights,
      annotations,
      role,
      passphrase,
      expires_at: timeAfter(view, form.get("days")),
      allow_download: form.get("allow_download") === "yes",
    });
    const [only, ...more] = shares;
    return only && more.length === 0
      ? await sharePage({ ...view, params: { id: only.id } }, { created: only })
      : createdPage(shares);
  };
  return orRefusal([400, 429], work, (why) => refusedPage(view, subject, form, why));
}

const createdPage = (shares: readonly CreatedShare[]): Page => ({
  title: "Links created",
  navEntry: "assets",
  body: (
    <>
      <div class="head">
        <p class="crumbs">
          <a href="/shares">Share links</a>
        </p>
        <h1>Links created</h1>
      </div>
      <div class="settings">
        {shares.map((share) => (
          <section key={share.id} class="stack">
            <h2>
              <a href={shareUrl(share)}>
                <bdi>{share.recipient}</bdi>
              </a>
            </h2>
            <CreatedNotice share={share} />
          </section>
        ))}
      </div>
    </>
  ),
  islands: ["copy.js"],
});

const refusedPage = (view: View, subject: FormSubject, sent: Form, why: string): Page => ({
  title: "Share",
  navEntry: "assets",
  body: (
    <div class="narrow">
      <p class="crumbs">
        {"id" in subject ? (
          <a href={`/assets/${subject.id}`}>Asset</a>
        ) : (
          <a href={`/shares?project=${subject.project}`}>Share links of {subject.project}</a>
        )}
      </p>
      <h1>Share</h1>
      <Notice text={why} />
      <CreateShareForm view={view} subject={subject} sent={sent} />
    </div>
  ),
});

export const submitShareUpdate = (view: View, form: Form): Promise<string | Page> =>
  submitChange(view, updateShare, {
    recipient: form.get("recipient")?.trim(),
    expires_at: timeAfter(view, form.get("days")),
  });

export const submitShareRenewal = (view: View, form: Form): Promise<string | Page> =>
  submitChange(view, renewShare, { expires_at: timeAfter(view, form.get("days")) });

/** @returns the URL of the share, or its page with the reason why it did not change */
async function submitChange(
  view: View,
  change: typeof updateShare | typeof renewShare,
  fields: Record<string, string | undefined>,
): Promise<string | Page> {
  const id = view.params.id ?? "";
  const work = async () => {
    await callOperation<Share>(view, change, { id, ...fields });
    return shareUrl({ id });
  };
  return orRefusal([400, 409], work, (why) => sharePage(view, { why }));
}

export async function submitShareRevocation(view: View): Promise<string> {
  const id = view.params.id ?? "";
  await callOperation<Share>(view, revokeShare, { id });
  return shareUrl({ id });
}
