/** Creates a sign-in link for a token. Its URL is on the page that this returns, and nowhere else. */

import type { CreatedSignInLink } from "../../core/auth/sign-in-link-schema.ts";
import { createSignInLink } from "../../core/operations.ts";
import { callOperation, type Page, type View } from "../view.ts";
import { settingsPage } from "./settings.tsx";

export async function submitSignInLink(view: View, form: Map<string, string>): Promise<Page> {
  const input = {
    name: view.params.name,
    email: form.get("email")?.trim(),
  };
  return settingsPage(view, await callOperation<CreatedSignInLink>(view, createSignInLink, input));
}
