/**
 * What delivers webhooks, as a process of its own that starts soon. Arguments: the URL of the database, when
 * the fast clock began, and how many times faster it runs.
 */
import { openData } from "../../../db/open.ts";
import type { Context } from "../../../src/api/context.ts";
import { readConfig } from "../../../src/core/config.ts";
import { openMetrics } from "../../../src/core/metrics.ts";
import { startDelivery } from "../../../src/integrations/webhooks/delivery/delivery.ts";

const [url, begin, pace] = process.argv.slice(2) as [string, string, string];
const now = () => Math.round((Number(begin) + (Date.now() - Number(begin)) * Number(pace)) * 1000);
const log: Context["log"] = (_level, message, fields) =>
  process.stderr.write(`${message} ${JSON.stringify(fields ?? {})}\n`);
const data = await openData(url, { now, log, connections: 3 });
const config = readConfig({ SVC_WEBHOOK_ALLOW: "127.0.0.1" });
// safe because: plain JSON needs nothing else
const ctx = { config, data, now, log, metrics: openMetrics() } as unknown as Context;
startDelivery(ctx, { pace: Number(pace) });
process.stdout.write("ready\n");
