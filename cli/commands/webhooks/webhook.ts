/** `svc webhook`: add, list, test, log, replay, pause, resume, rotate, remove. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { printJsonLines, printLine } from "../../command.ts";
import { CommandError } from "../../command-errors.ts";
import { note, reportChange } from "../../output/report.ts";
import { fittedTable, formatAge } from "../../output/table.ts";
import add from "./add.ts";
import { describeWebhook, findWebhook, webhookArg } from "./find-webhook.ts";
import log from "./log.ts";
import replay from "./replay.ts";

const columns = [
  { head: "ID" },
  { head: "NAME", flexible: true as const },
  { head: "STATUS" },
  { head: "FORMAT", rank: 2 },
  { head: "URL", rank: 3, flexible: true as const },
  { head: "FILTERS", rank: 5, flexible: true as const },
  { head: "OWNER", rank: 4 },
  { head: "LAST DELIVERY", rank: 1 },
];

const listCommand = defineCommand({
  meta: { name: "list", description: "List webhooks, newest first, without secrets and full URLs" },
  args: { ...apiFlags },
  async run({ args }) {
    const { webhooks } = await withApi(args, ({ api }) => unwrap(api.GET("/webhooks")));
    if (args.json) await printJsonLines(webhooks);
    else if (webhooks.length > 0) await printLine(fittedTable(columns, webhooks.map(rowOf)));
    if (webhooks.length === 0) note(args, "No webhooks. Create one: svc webhook add <url>");
  },
});

const rowOf = (webhook: Schemas["Webhook"]): string[] => [
  webhook.id,
  escapeControls(webhook.name ?? "–"),
  webhook.status,
  webhook.format,
  webhook.url,
  escapeControls(describeFilters(webhook)),
  webhook.owner ?? "admin",
  describeLast(webhook),
];

const describeFilters = ({ filters }: Schemas["Webhook"]): string =>
  Object.entries(filters)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ") || "all events";

function describeLast({ last_delivery: last }: Schemas["Webhook"]): string {
  if (last === null) return "never";
  return `${last.outcome}, ${formatAge(Date.now() - Date.parse(last.at))}`;
}

const actionArgs = { ...webhookArg, ...apiFlags };

const testCommand = defineCommand({
  meta: { name: "test", description: "Send a sample now, also if the webhook is paused" },
  args: actionArgs,
  async run({ args }) {
    const delivery = await withApi(args, async ({ api }) => {
      const params = await findWebhook(api, args.webhook);
      return unwrap(api.POST("/webhooks/{id}/test", { params }));
    });
    const { status, duration_ms, error } = delivery;
    if (args.json) await printLine(JSON.stringify(delivery));
    if (delivery.outcome !== "delivered") throw new CommandError(`The test failed. ${error ?? ""}`.trim());
    if (!args.json) note(args, `The receiver answered ${status} in ${duration_ms} ms.`);
  },
});

const switching = (name: "pause" | "resume", done: string, description: string) =>
  defineCommand({
    meta: { name, description },
    args: actionArgs,
    async run({ args }) {
      const webhook = await withApi(args, async ({ api }) =>
        unwrap(api.POST(`/webhooks/{id}/${name}`, { params: await findWebhook(api, args.webhook) })),
      );
      await reportChange(args, webhook, `${done} ${describeWebhook(webhook)}.`);
    },
  });

const pause = switching("pause", "Paused", "Stop sending; events are sent once it is resumed");
const resume = switching("resume", "Resumed", "Continue where a paused webhook stopped");

const rotate = defineCommand({
  meta: {
    name: "rotate",
    description: "Replace the signing secret and print the new one; the old one signs for another day too",
  },
  args: actionArgs,
  async run({ args }) {
    const rotated = await withApi(args, async ({ api }) =>
      unwrap(api.POST("/webhooks/{id}/rotate", { params: await findWebhook(api, args.webhook) })),
    );
    note(
      args,
      `Rotated the secret. Copy the new one now; it won't be shown again. Until ` +
        `${rotated.previous_until.slice(0, 16)}Z, requests are signed with both.`,
    );
    await printLine(args.json ? JSON.stringify(rotated) : rotated.secret);
  },
});

const remove = defineCommand({
  meta: { name: "remove", description: "Remove a webhook: nothing is sent any more" },
  args: actionArgs,
  async run({ args }) {
    const removed = await withApi(args, async ({ api }) =>
      unwrap(api.DELETE("/webhooks/{id}", { params: await findWebhook(api, args.webhook) })),
    );
    await reportChange(args, removed, `Removed webhook ${removed.id}.`);
  },
});

export default defineCommand({
  subCommands: { add, list: listCommand, test: testCommand, log, replay, pause, resume, rotate, remove },
});
