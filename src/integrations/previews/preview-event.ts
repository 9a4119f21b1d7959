/** The event of a deployment that a hosting service reports. */
import type { SenderName, SourceRepository } from "../../core/forges/schema.ts";
import { TaskNumber } from "../../core/wire.ts";
import { webhookKeyPrefix } from "../../feed/reserved-keys.ts";
import { deploymentSummary } from "../incoming-webhooks/event-text.ts";
import { signedEvent } from "../incoming-webhooks/mapping.ts";
import type { Delivery, ParsedDelivery } from "../incoming-webhooks/sender.ts";

interface Deployment {
  sender: SenderName;
  /** Of the deployment at the service: one event says that it is ready, one that it failed. */
  id: string;
  isReady: boolean;
  /** The environment or site, for the summary. */
  name: string | null | undefined;
  isProduction: boolean;
  detail?: string | null | undefined;
  url: string | null | undefined;
  pr?: number | null;
  repository: SourceRepository | null;
}

export function previewEvent(delivery: Delivery, deployment: Deployment): ParsedDelivery {
  const { sender, id, isReady, name, isProduction, detail, url, pr = null, repository } = deployment;
  const where = isProduction ? "production" : name;
  const event = {
    kind: isReady ? ("preview.ready" as const) : ("preview.failed" as const),
    actor: `bot:${sender}`,
    summary: deploymentSummary(isReady, where, isProduction) + (detail ? `: ${detail}` : ""),
    url,
    pr,
    repo: repository?.full_name ?? null,
    dedupe_key: `${webhookKeyPrefix}${sender}:${id}:${isReady ? "ready" : "failed"}`,
  };
  return { events: [signedEvent(event, delivery, null)], repository };
}

export const notUsed = (what: string): ParsedDelivery => ({
  ignored: `${what} is not used`,
  because: "event",
});

/** The number of a pull request in text or as a number; null for anything else. */
export function pullNumber(value: unknown): number | null {
  const number = Number(value ?? 0);
  return Number.isInteger(number) && number >= 1 && number <= (TaskNumber.maximum as number) ? number : null;
}
