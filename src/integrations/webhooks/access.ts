/** Who owns a webhook, and who may see it. */

import type { Caller } from "../../core/auth/caller.ts";
import { visibleTo } from "../../core/auth/ownership.ts";
import { noWebhook } from "../../core/problem.ts";
import type { IntegrationsContext } from "../context.ts";
import type { WebhookRow } from "../rows.ts";

/** @throws {Problem} 404 for an unknown webhook, and for one that the caller does not see */
export async function requireWebhook(
  { data }: Pick<IntegrationsContext, "data">,
  id: string,
  caller: Caller,
): Promise<WebhookRow> {
  const row = await data.webhook(id);
  const visible = visibleTo(caller);
  if (!row || (visible && row.owner !== visible.owner)) throw noWebhook(id);
  return row;
}
