/** Checks webhooks: paused ones, and projects whose messages fail. */

import { type Micros, minuteMicros } from "../../core/lib/time.ts";
import type { Context } from "../context.ts";
import { type Finding, nameSome, ok, warning } from "./finding.ts";

/** A message that fails for a shorter time is retried soon. */
const behindAfter = 60 * minuteMicros;

/** A warning for each paused webhook's reason, and one for those that are behind. */
export async function checkWebhooks({ data, now }: Pick<Context, "data" | "now">): Promise<Finding[]> {
  const { paused, behind } = await data.webhookBacklog(now() - behindAfter);
  const findings = [...Map.groupBy(paused, ({ paused_reason }) => paused_reason)].map(([reason, rows]) =>
    warning(
      "webhooks",
      `paused: ${nameSome(rows.map(({ id, name }) => name ?? id))}. ${reason ?? ""} ` +
        "Resume with svc webhook resume",
    ),
  );
  const [oldest] = behind;
  if (oldest)
    findings.push(
      warning(
        "webhooks",
        `behind for ${hoursSince(oldest.failing_since ?? now(), now())}: ` +
          `${nameSome([...new Set(behind.map(({ webhook }) => webhook))])}; ` +
          "see why with svc webhook log",
      ),
    );
  return findings.length > 0 ? findings : [ok("webhooks", "none is paused or behind")];
}

const hoursSince = (since: Micros, now: Micros): string => {
  const hours = Math.floor((now - since) / (60 * minuteMicros));
  return `${hours} ${hours === 1 ? "hour" : "hours"}`;
};
