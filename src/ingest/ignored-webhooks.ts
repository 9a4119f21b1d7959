/** Webhook deliveries that added nothing: all of them counted, and told in the log at most once a minute. */
import type { Context } from "../context.ts";
import { secondMicros } from "../lib/time.ts";

const quietMicros = 60 * secondMicros;
/** Different reasons named in one line. */
const reasonsMax = 10;

export type NoteIgnored = (because: string, reason: string) => void;

export function ignoredDeliveries({
  log,
  metrics,
  now,
}: Pick<Context, "log" | "metrics" | "now">): NoteIgnored {
  const reasons = new Set<string>();
  let count = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  return (because, reason) => {
    metrics.webhookIgnored.of(because).add();
    count++;
    if (reasons.size < reasonsMax) reasons.add(reason);
    if (now() - loggedAt < quietMicros) return;
    log("warn", "webhook deliveries ignored", { count, reasons: [...reasons] });
    loggedAt = now();
    reasons.clear();
    count = 0;
  };
}
