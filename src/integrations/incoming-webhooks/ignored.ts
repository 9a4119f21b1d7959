/** Counts webhooks that added no event, and logs those of each sender at most once a minute. */

import type { SenderName } from "../../core/incoming-webhooks/schema.ts";
import { secondMicros } from "../../core/lib/time.ts";
import type { IntegrationsContext } from "../context.ts";

const quietMicros = 60 * secondMicros;
/** How many different reasons one log line lists. */
const reasonsMax = 10;

export type ReportIgnored = (because: string, reason: string) => void;

/** @param label the sender's name in the log */
export function ignoredWebhookReporter(
  { log, metrics, now }: Pick<IntegrationsContext, "log" | "metrics" | "now">,
  sender: SenderName,
  label: string,
): ReportIgnored {
  const reasons = new Set<string>();
  let count = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (because, reason) => {
    metrics.webhookIgnored.of(sender, because).add();
    count++;
    if (reasons.size < reasonsMax) reasons.add(reason);
    if (now() - loggedAt < quietMicros) return;
    log("warn", `${label} webhooks ignored`, { count, reasons: [...reasons] });
    loggedAt = now();
    reasons.clear();
    count = 0;
  };
}
