/**
 * The pages behind the links of mails. Opening one changes nothing, since mail scanners open every link: a
 * button does. No session is involved; the token in the URL is the permission.
 */
import type { VNode } from "preact";
import { Problem } from "../../core/problem.ts";
import { confirmDigest, unsubscribe } from "../../integrations/email/digests.ts";
import { digestOfToken, type LinkPurpose } from "../../integrations/email/links.ts";
import type { Page, View } from "../view.ts";

const words = {
  confirm: {
    title: "Confirm your digest",
    text: "Confirm that this address wants to get the digest by email.",
    button: "Confirm",
    done: "Confirmed. The first digest is on its way when its hour comes.",
  },
  unsubscribe: {
    title: "Unsubscribe",
    text: "You no longer want to get this digest by email.",
    button: "Unsubscribe",
    done: "Unsubscribed. You get no more mail of this digest.",
  },
} as const satisfies Record<LinkPurpose, Record<string, string>>;

export const emailConfirmPage = (view: View): Page => askPage(view, "confirm");
export const emailUnsubscribePage = (view: View): Page => askPage(view, "unsubscribe");

/** @throws {Problem} 404 for a token that is not valid */
function requireDigestId({ ctx, url }: View, purpose: LinkPurpose): string {
  const id = digestOfToken(ctx, purpose, url.searchParams.get("token") ?? "");
  if (id === null) throw new Problem(404, "This link is invalid. Copy it from the mail again.");
  return id;
}

function askPage(view: View, purpose: LinkPurpose): Page {
  requireDigestId(view, purpose);
  const { title, text, button } = words[purpose];
  return pageOf(
    title,
    <>
      <p>{text}</p>
      <form method="post" action={view.url.pathname + view.url.search}>
        <button type="submit" class="primary">
          {button}
        </button>
      </form>
    </>,
  );
}

/** Does what the link is for. A mail client posts here to unsubscribe (RFC 8058), whatever its body. */
export async function submitEmailLink(view: View, purpose: LinkPurpose): Promise<Page> {
  const id = requireDigestId(view, purpose);
  await (purpose === "confirm" ? confirmDigest : unsubscribe)(view.ctx, id, view.visitor.caller);
  const { title, done } = words[purpose];
  return pageOf(title, <p role="status">{done}</p>);
}

const pageOf = (title: string, content: VNode): Page => ({
  title,
  navEntry: null,
  body: (
    <div class="narrow">
      <h1>{title}</h1>
      {content}
    </div>
  ),
});
