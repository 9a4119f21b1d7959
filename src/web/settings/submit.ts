/** Handles the forms of the settings. Each returns the URL to redirect to, or the page again. */

import type { CreatedSignInLink } from "../../core/auth/sign-in-link-schema.ts";
import { createSignInLink } from "../../core/operations.ts";
import { Problem } from "../../core/problem.ts";
import {
  pauseWebhook,
  replayWebhook,
  resumeWebhook,
  testWebhook,
} from "../../integrations/operations/webhooks.ts";
import type { WebhookDelivery } from "../../integrations/webhooks/schema.ts";
import { callOperation, type Page, type View } from "../view.ts";
import { settingsPage } from "./settings.tsx";
import { webhookPage } from "./webhook.tsx";
import { webhookPath } from "./webhooks.tsx";

const doneUrl = ({ params: { id = "" } }: View, done: string): string =>
  `${webhookPath({ id })}?done=${done}`;

export async function submitTest(view: View): Promise<string> {
  const { outcome } = await callOperation<WebhookDelivery>(view, testWebhook, { id: view.params.id });
  return doneUrl(view, outcome === "delivered" ? "delivered" : "failed");
}

export async function submitPause(view: View): Promise<string> {
  await callOperation(view, pauseWebhook, { id: view.params.id });
  return doneUrl(view, "paused");
}

export async function submitResume(view: View): Promise<string> {
  await callOperation(view, resumeWebhook, { id: view.params.id });
  return doneUrl(view, "resumed");
}

/** Whole numbers as numbers. Anything else is passed on, and the operation rejects it. */
const numberOf = (text: string | undefined) => (text && /^\d{1,15}$/.test(text) ? Number(text) : text);

/** Sends the events of a delivery again, or those from an event on. */
export async function submitReplay(view: View, form: ReadonlyMap<string, string>): Promise<string | Page> {
  const [delivery, from, to] = ["delivery", "from", "to"].map((name) => numberOf(form.get(name)));
  try {
    await callOperation(view, replayWebhook, {
      id: view.params.id,
      delivery,
      from,
      to,
    });
    return doneUrl(view, "replayed");
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400) throw error;
    return { ...(await webhookPage(view, error.detail)), status: error.status };
  }
}

/** Creates a sign-in link for a token. Its URL is on the page that this returns, and nowhere else. */
export async function submitSignInLink(view: View, form: Map<string, string>): Promise<Page> {
  const input = {
    name: view.params.name,
    email: form.get("email")?.trim(),
  };
  return settingsPage(view, await callOperation<CreatedSignInLink>(view, createSignInLink, input));
}
