/** Checks webhooks: paused ones, and projects whose messages fail. */

import { fromMicros, type Micros, minuteMicros } from "../../core/lib/time.ts";
import { priceList } from "../../integrations/telemetry/prices.ts";
import { explanations, recentlyUnplaced } from "../../integrations/telemetry/unplaced.ts";
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

/** Checks the digests by email: those that cannot be sent. */
const findingsMax = 5;

export async function checkEmail({ config, data }: Pick<Context, "config" | "data">): Promise<Finding[]> {
  const digests = await data.emailDigests();
  if (digests.length === 0) return [];
  if (!config.smtpUrl)
    return [warning("email", `${digests.length} digests are not sent; set SVC_SMTP_URL to your mail server`)];
  const failing = digests.filter(({ problem }) => problem !== null);
  if (failing.length === 0) return [ok("email", `digests: ${digests.length}`)];
  const shown = failing.slice(0, findingsMax).map(({ id, address, status, problem }) => {
    const fix =
      status === "paused"
        ? `fix it and run svc email send ${id}, or svc email remove ${id}`
        : "svc tries again";
    return warning(
      "email",
      `the digest to ${address} ${status === "paused" ? "is paused" : "failed"}: ${problem}; ${fix}`,
    );
  });
  const more = failing.length - shown.length;
  return more > 0 ? [...shown, warning("email", `${more} more digests fail; see svc email list`)] : shown;
}

/** One warning for each source and reason of the last seven days. */
export async function checkTelemetry(ctx: Pick<Context, "config" | "data" | "now">): Promise<Finding[]> {
  const rows = await recentlyUnplaced(ctx);
  const findings = rows.map(({ source, reason, count, token, last_at }) =>
    warning(
      "telemetry",
      `${count} records of ${source} fit no project (${reason}; last from token ${token}, ` +
        `${fromMicros(last_at).slice(0, 16)}Z); ${explanations[reason].fix}`,
    ),
  );
  return [...(findings.length > 0 ? findings : [ok("telemetry", "all of it fits a project")]), prices(ctx)];
}

function prices({ config }: Pick<Context, "config">): Finding {
  const builtIn = `built-in list of ${priceList.date} (genai-prices ${priceList.version})`;
  if (!config.prices) return ok("prices", builtIn);
  const count = Object.keys(config.prices.models).length;
  return ok("prices", `${count} models of SVC_PRICES of ${config.prices.date}, then the ${builtIn}`);
}
