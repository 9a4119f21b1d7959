/** Who owns a webhook, and who may see it. */
import { adminCaller, type Caller } from "../../core/auth/caller.ts";
import type { Context } from "../../core/context.ts";
import { noWebhook } from "../../core/problem.ts";
import type { WebhookRow } from "./port.ts";

/**
 * The owner of what a caller creates: the name of its token, or null for the admin of the deployment, who
 * comes with access to the database, by the command line or a sign-in link.
 */
export function ownerOf({ name, actor, hash }: Caller): string | null {
  const isDeploymentAdmin = hash === undefined && (name === adminCaller.name || name === actor);
  return isDeploymentAdmin ? null : name;
}

/** Undefined for a token of all projects, which sees all webhooks; one of some projects sees its own. */
export const visibleTo = (caller: Caller): { owner: string | null } | undefined =>
  caller.projects === null ? undefined : { owner: ownerOf(caller) };

/** @throws {Problem} 404 for an unknown webhook, and for one that the caller does not see */
export async function requireWebhook(
  { data }: Pick<Context, "data">,
  id: string,
  caller: Caller,
): Promise<WebhookRow> {
  const row = await data.webhook(id);
  const visible = visibleTo(caller);
  if (!row || (visible && row.owner !== visible.owner)) throw noWebhook(id);
  return row;
}
