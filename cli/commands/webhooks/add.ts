/** `svc webhook add`: subscribes a URL to events. */
import { type ArgsDef, defineCommand } from "citty";
import {
  filterStatuses,
  formatNames,
  NewWebhook,
  WebhookFilters,
} from "../../../src/integrations/webhooks/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFields, checkFlags, printLine } from "../../command.ts";
import { note } from "../../output/report.ts";

const filterFlags = {
  kind: { type: "string", description: "Only these kinds of events, comma-separated" },
  project: { type: "string", description: "Only these projects, comma-separated" },
  actor: { type: "string", description: "Only these actors, comma-separated" },
  lane: { type: "string", description: "Only these lanes, comma-separated" },
  status: {
    type: "string",
    description: `Only runs and reviews that ended so, comma-separated: ${filterStatuses.join(", ")}`,
  },
  "run-id": { type: "string", description: "Only this run" },
  "cost-above": { type: "string", description: "Only events that cost more, in USD" },
} as const satisfies ArgsDef;

export default defineCommand({
  meta: { name: "add", description: "Send events to a URL, and print the signing secret once" },
  args: {
    url: { type: "positional", required: true, description: "An https URL" },
    name: { type: "string", description: "What you call it" },
    format: { type: "string", description: `Format: ${formatNames.join(", ")} (default json)` },
    ...filterFlags,
    ...apiFlags,
  },
  async run({ args }) {
    const filters = checkFlags(WebhookFilters, args);
    const fields = Object.entries({ url: args.url, name: args.name, format: args.format, filters });
    const body = checkFields(NewWebhook, new Map(fields.filter(([, value]) => value !== undefined)));
    const { secret, ...webhook } = await withApi(args, ({ api }) =>
      unwrap(api.POST("/webhooks", { body: body as Schemas["WebhookRequest"] })),
    );
    const isSigned = webhook.format === "json";
    note(
      args,
      `Created webhook ${webhook.id}. Try it: svc webhook test ${webhook.id}` +
        (isSigned ? "\nCopy the signing secret now; it won't be shown again." : ""),
    );
    if (args.json) await printLine(JSON.stringify({ ...webhook, secret }));
    else await printLine(isSigned ? secret : webhook.id);
  },
});
