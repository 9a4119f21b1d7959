/** Counts GitHub webhooks that added no event, and logs them at most once a minute. */
import type { Context } from "../context.ts";
import { secondMicros } from "../lib/time.ts";

const quietMicros = 60 * secondMicros;
/** How many different reasons one log line lists. */
const reasonsMax = 10;

export type ReportIgnored = (because: string, reason: string) => void;

export function ignoredWebhookReporter({
  log,
  metrics,
  now,
}: Pick<Context, "log" | "metrics" | "now">): ReportIgnored {
  const reasons = new Set<string>();
  let count = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (because, reason) => {
    metrics.webhookIgnored.of(because).add();
    count++;
    if (reasons.size < reasonsMax) reasons.add(reason);
    if (now() - loggedAt < quietMicros) return;
    log("warn", "GitHub webhooks ignored", { count, reasons: [...reasons] });
    loggedAt = now();
    reasons.clear();
    count = 0;
  };
}
