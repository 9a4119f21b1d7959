/** Pauses a webhook, and says so in the feed. */
import type { IntegrationsContext } from "../../context.ts";
import type { WebhookRow } from "../../rows.ts";
import { webhookPagePath } from "./scan/matching.ts";

/** Pauses an active webhook. @param reason a sentence that says what to do */
export async function pauseWebhook(
  { config, data, log, now }: Pick<IntegrationsContext, "config" | "data" | "log" | "now">,
  { id, name, filters }: WebhookRow,
  reason: string,
): Promise<void> {
  const [project, ...others] = filters.project ?? [];
  await data.atomically(async (writes) => {
    const row = await writes.webhook(id);
    if (row?.status !== "active") return;
    await writes.changeWebhook(id, { status: "paused", paused_at: now(), paused_reason: reason });
    await writes.append([
      {
        kind: "webhook.paused",
        actor: "bot:svc",
        summary: `Paused webhook ${name ?? id}: ${reason}`,
        url: `${config.siteUrl}${webhookPagePath(id)}`,
        ...(project !== undefined && others.length === 0 && { project }),
      },
    ]);
  });
  log("warn", "webhook paused", { webhook: id, reason });
}
