/** Handles forms of the settings. Each returns the URL to redirect to, or the page again. */
import { linkProject } from "../../feed/operations/projects.ts";
import { sendTestMail } from "../../integrations/operations/email.ts";
import {
  createWebhook,
  pauseWebhook,
  removeWebhook,
  replayWebhook,
  resumeWebhook,
  rotateWebhookSecret,
  testWebhook,
} from "../../integrations/operations/webhooks.ts";
import type { CreatedWebhook, RotatedSecret, WebhookDelivery } from "../../integrations/webhooks/schema.ts";
import { callOperation, callOperationAsGiven, type Form, type Page, type View } from "../view.ts";
import { addDigest, removeDigest, sendDigest } from "./digests.tsx";
import { emailPage } from "./email.tsx";
import { projectLinkOf } from "./project-form.tsx";
import { projectSettingsPage, projectsSettingsPage } from "./projects.tsx";
import { orRefused, requireScope } from "./sections.tsx";
import { webhookPage } from "./webhook.tsx";
import { kindPrefix } from "./webhook-form.tsx";
import { webhookPath, webhooksPage } from "./webhooks.tsx";
import { settingsPage } from "./you.tsx";

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

export const submitResume = (view: View): Promise<string | Page> =>
  orRefused(
    async () => {
      await callOperation(view, resumeWebhook, { id: view.params.id });
      return doneUrl(view, "resumed");
    },
    (outcome) => webhookPage(view, outcome),
  );

/** @returns the page with the new secret, which is shown nowhere else */
export async function submitRotation(view: View): Promise<Page> {
  const rotated = await callOperation<RotatedSecret>(view, rotateWebhookSecret, { id: view.params.id });
  return webhookPage(view, undefined, rotated);
}

export async function submitWebhookRemoval(view: View): Promise<string> {
  await callOperation(view, removeWebhook, { id: view.params.id });
  return "/settings/webhooks?done=removed";
}

/** @returns the page that shows the secret of the new webhook, this once */
export const submitNewWebhook = (view: View, form: Form): Promise<string | Page> =>
  orRefused(
    async () => {
      const kind = [...form.keys()].flatMap((name) =>
        name.startsWith(kindPrefix) ? [name.slice(kindPrefix.length)] : [],
      );
      const project = form.get("project") || null;
      const webhook = await callOperation<CreatedWebhook>(view, createWebhook, {
        url: form.get("url")?.trim(),
        name: form.get("name")?.trim(),
        format: form.get("format"),
        filters: { ...(kind.length > 0 && { kind }), ...(project !== null && { project: [project] }) },
      });
      return webhooksPage(view, { created: webhook });
    },
    (outcome) => webhooksPage(view, { outcome, given: form }),
  );

/** Whole numbers as numbers. Anything else is passed on, and the operation rejects it. */
const numberOf = (text: string | undefined) => (text && /^\d{1,15}$/.test(text) ? Number(text) : text);

/** Sends the events of a delivery again, or those from an event on. */
export function submitReplay(view: View, form: Form): Promise<string | Page> {
  const [delivery, from, to] = ["delivery", "from", "to"].map((name) => numberOf(form.get(name)));
  const work = async () => {
    await callOperation(view, replayWebhook, {
      id: view.params.id,
      delivery,
      from,
      to,
    });
    return doneUrl(view, "replayed");
  };
  return orRefused(work, (outcome) => webhookPage(view, outcome));
}

/** The page of the visitor's own digests, or that of all. */
const digestPages = {
  own: { path: "/settings", anchor: "#digest", page: settingsPage, needs: "public" },
  all: { path: "/settings/email", anchor: "", page: emailPage, needs: "webhooks:write" },
} as const;
type DigestPages = (typeof digestPages)[keyof typeof digestPages];

const digestForm =
  (work: (view: View, form: Form) => Promise<unknown>, done: string, of: DigestPages) =>
  async (view: View, form: Form): Promise<string | Page> => {
    requireScope(view, of.needs);
    const submitted = async () => {
      await work(view, form);
      return `${of.path}?done=${done}${of.anchor}`;
    };
    return orRefused(submitted, (outcome) => of.page(view, outcome));
  };

export const submitOwnDigest = digestForm(addDigest, "digest-added", digestPages.own);
export const submitOwnDigestSend = digestForm(sendDigest, "digest-sent", digestPages.own);
export const submitOwnDigestRemoval = digestForm(removeDigest, "digest-removed", digestPages.own);
export const submitDigest = digestForm(addDigest, "digest-added", digestPages.all);
export const submitDigestSend = digestForm(sendDigest, "digest-sent", digestPages.all);
export const submitDigestRemoval = digestForm(removeDigest, "digest-removed", digestPages.all);

const sendTest = (view: View, form: Form) =>
  callOperation(view, sendTestMail, { address: form.get("address")?.trim() });
export const submitTestMail = digestForm(sendTest, "test-sent", digestPages.all);

export const submitProjectLink = (view: View, form: Form): Promise<string | Page> =>
  orRefused(
    async () => {
      const slug = form.get("slug")?.trim() ?? "";
      await callOperationAsGiven(view, linkProject, { ...projectLinkOf(form), slug });
      return `/settings/projects/${slug}?done=linked`;
    },
    (outcome) => projectsSettingsPage(view, outcome, form),
  );

export const submitProjectChange = (view: View, form: Form): Promise<string | Page> =>
  orRefused(
    async () => {
      const { slug = "" } = view.params;
      await callOperationAsGiven(view, linkProject, { ...projectLinkOf(form), slug });
      return `/settings/projects/${slug}?done=saved`;
    },
    (outcome) => projectSettingsPage(view, outcome, form),
  );
