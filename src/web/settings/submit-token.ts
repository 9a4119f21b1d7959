/** Handles the forms on the page of a token. */
import type { CreatedSignInLink } from "../../core/auth/session/sign-in-link-schema.ts";
import { createSignInLink } from "../../core/operations.ts";
import { revokeToken, setTokenOwner, setTokenReviewRole } from "../../feed/operations/tokens.ts";
import { callOperation, type Form, type Page, type View } from "../view.ts";
import { orRefused } from "./sections.tsx";
import { tokenPage } from "./token.tsx";
import { tokenPath } from "./tokens.tsx";

const submit = (view: View, done: string, work: () => Promise<unknown>): Promise<string | Page> =>
  orRefused(
    async () => {
      await work();
      return `${tokenPath(view.params.name ?? "")}?done=${done}`;
    },
    (outcome) => tokenPage(view, outcome),
  );

export const submitRevocation = (view: View): Promise<string | Page> =>
  submit(view, "revoked", () => callOperation(view, revokeToken, { name: view.params.name }));

export const submitOwner = (view: View, form: Form): Promise<string | Page> =>
  submit(view, "saved", () =>
    callOperation(view, setTokenOwner, {
      name: view.params.name,
      owner: form.get("owner")?.trim(),
      team: form.get("team")?.trim(),
    }),
  );

export const submitReviewRole = (view: View, form: Form): Promise<string | Page> =>
  submit(view, "saved", () =>
    callOperation(view, setTokenReviewRole, { name: view.params.name, role: form.get("role")?.trim() }),
  );

/** Creates a sign-in link for a token. Its URL is on the page that this returns, and nowhere else. */
export async function submitSignInLink(view: View, form: Form): Promise<Page> {
  const input = { name: view.params.name, email: form.get("email")?.trim() };
  const link = await callOperation<CreatedSignInLink>(view, createSignInLink, input);
  return tokenPage(view, undefined, link);
}
