/** Finds the webhook that an argument names: by its ID, or by its name if no other has the same. */
import type { ArgsDef } from "citty";
import { type Api, type Schemas, unwrap } from "../../client/client.ts";
import { CommandError } from "../../command-errors.ts";

export const webhookArg = {
  webhook: { type: "positional", required: true, description: "Webhook ID or name" },
} as const satisfies ArgsDef;

/** The ID of the webhook, as path parameters. @throws CommandError if there is none, or several */
export async function findWebhook(api: Api, text: string): Promise<{ path: { id: string } }> {
  const { webhooks } = await unwrap(api.GET("/webhooks"));
  const byId = webhooks.filter(({ id }) => id === text.toUpperCase());
  const found = byId.length > 0 ? byId : webhooks.filter(({ name }) => name === text);
  const [webhook, ...others] = found as [Schemas["Webhook"]?, ...unknown[]];
  if (!webhook) throw new CommandError(`No webhook "${text}". See svc webhook list.`);
  if (others.length > 0)
    throw new CommandError(`${found.length} webhooks are named "${text}". Use an ID from svc webhook list.`);
  return { path: { id: webhook.id } };
}

/** How a webhook is named in messages. */
export const describeWebhook = ({ name, url }: Pick<Schemas["Webhook"], "name" | "url">): string =>
  name === null ? `the webhook to ${url}` : `webhook "${name}"`;
