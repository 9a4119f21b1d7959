/** Checks telemetry: records that fit no project, and the prices of models. */
import { fromMicros } from "../../core/lib/time.ts";
import { priceList } from "../../integrations/telemetry/prices.ts";
import { explanations, recentlyUnplaced } from "../../integrations/telemetry/unplaced.ts";
import type { Context } from "../context.ts";
import { type Finding, ok, warning } from "./finding.ts";

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
