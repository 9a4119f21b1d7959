/** `svc webhook replay`: sends events again. */
import { defineCommand } from "citty";
import { ReplayInput } from "../../../src/integrations/webhooks/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { checkFlags } from "../../command.ts";
import { instantOf } from "../../output/duration.ts";
import { reportChange } from "../../output/report.ts";
import { findWebhook, webhookArg } from "./find-webhook.ts";

export default defineCommand({
  meta: { name: "replay", description: "Send events again: one, a delivery's, a range, or all since a time" },
  args: {
    ...webhookArg,
    event: { type: "string", description: "Send this event again", valueHint: "id" },
    delivery: { type: "string", description: "Send the events of this delivery again", valueHint: "id" },
    from: { type: "string", description: "Send the events from this one on again", valueHint: "id" },
    to: { type: "string", description: "Last event for --from (default: the newest)", valueHint: "id" },
    since: {
      type: "string",
      description: "Send everything since then again: an RFC 3339 timestamp, or a duration such as 2h",
      valueHint: "time",
    },
    ...apiFlags,
  },
  async run({ args }) {
    const replay = await withApi(args, async ({ api }) => {
      const { path } = await findWebhook(api, args.webhook);
      const since = args.since === undefined ? {} : { since: instantOf(args.since) };
      const { id: _, ...body } = checkFlags(ReplayInput, { ...args, ...path, ...since });
      return unwrap(api.POST("/webhooks/{id}/replay", { params: { path }, body }));
    });
    const { from, to } = replay;
    const range = from === to ? `event ${from}` : `events ${from} to ${to}`;
    await reportChange(args, replay, `Sending ${range} again, as far as the filters match.`);
  },
});
