/** Pausing a webhook: its owner may not read anything any more, or its receiver is gone. */
import type { Projects, TokenRow } from "../../../core/rows.ts";
import type { IntegrationsContext } from "../../context.ts";
import type { WebhookRow } from "../../rows.ts";
import { webhookPagePath } from "./source.ts";

/** Pauses an active webhook, and says so in the feed. @param reason a sentence that says what to do */
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

/** The projects that an owner may read, or why it may read none any more. */
export type Readable = { projects: Projects } | { refused: string };

const resume = "then resume the webhook, or create a new one with a valid token.";

/** Reads all tokens once. @returns what an owner may read now; null is the admin of the deployment */
export async function openReadable({
  config,
  data,
  now,
}: Pick<IntegrationsContext, "config" | "data" | "now">): Promise<(owner: string | null) => Readable> {
  const rows = new Map((await data.tokens()).map((row) => [row.name, row]));
  const configured = new Map(config.tokens.values().map((caller) => [caller.name, caller]));
  return (owner) => {
    if (owner === null) return { projects: null };
    const caller = configured.get(owner);
    if (caller) return { projects: caller.projects };
    return ofToken(owner, rows.get(owner), now());
  };
}

function ofToken(name: string, row: TokenRow | undefined, now: number): Readable {
  if (!row) return { refused: `Its token ${name} does not exist. Create it, ${resume}` };
  if (row.revoked_at !== null)
    return { refused: `Its token ${name} was revoked. Create a new webhook with a valid token.` };
  if (row.expires_at !== null && row.expires_at <= now)
    return { refused: `Its token ${name} has expired. Create a new webhook with a valid token.` };
  return { projects: row.projects };
}
