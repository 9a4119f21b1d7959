/** `svc webhook log`: the deliveries of the last 30 days. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { DeliveriesQuery, deliveryOutcomes } from "../../../src/integrations/webhooks/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printJsonLines, printLine } from "../../command.ts";
import { note } from "../../output/report.ts";
import { fittedTable, formatAge, formatDuration } from "../../output/table.ts";
import { findWebhook, webhookArg } from "./find-webhook.ts";

const columns = [
  { head: "DELIVERY" },
  { head: "AGE" },
  { head: "OUTCOME" },
  { head: "STATUS" },
  { head: "TOOK", rank: 4 },
  { head: "ATTEMPT", rank: 5 },
  { head: "EVENTS", rank: 2 },
  { head: "PROJECT", rank: 3 },
  { head: "ERROR", rank: 1, flexible: true as const },
];

export default defineCommand({
  meta: { name: "log", description: "List the deliveries of the last 30 days, newest first" },
  args: {
    ...webhookArg,
    outcome: { type: "string", description: `Only these: ${deliveryOutcomes.join(", ")}` },
    limit: { type: "string", description: "Maximum number of deliveries (default 50)" },
    cursor: { type: "string", description: DeliveriesQuery.properties.cursor.description as string },
    ...apiFlags,
  },
  async run({ args }) {
    const page = await withApi(args, async ({ api }) => {
      const { path } = await findWebhook(api, args.webhook);
      const { id: _, ...query } = checkFlags(DeliveriesQuery, { ...args, ...path });
      return unwrap(api.GET("/webhooks/{id}/deliveries", { params: { path, query } }));
    });
    if (args.json) await printJsonLines(page.deliveries);
    else if (page.count > 0) await printLine(fittedTable(columns, page.deliveries.map(rowOf)));
    if (page.count === 0) note(args, "No deliveries.");
    if (page.next_cursor && !args.json) note(args, `Next page: --cursor ${page.next_cursor}`);
  },
});

const rowOf = (delivery: Schemas["WebhookDelivery"]): string[] => [
  String(delivery.id),
  formatAge(Date.now() - Date.parse(delivery.at)),
  delivery.outcome,
  delivery.status === null ? "–" : String(delivery.status),
  formatDuration(delivery.duration_ms),
  String(delivery.attempt),
  eventsOf(delivery),
  delivery.project ?? "–",
  escapeControls(delivery.error ?? ""),
];

function eventsOf({ first_event, last_event, is_replay }: Schemas["WebhookDelivery"]): string {
  if (first_event === null) return "test";
  const range = first_event === last_event ? `${first_event}` : `${first_event}–${last_event}`;
  return is_replay ? `${range} again` : range;
}
