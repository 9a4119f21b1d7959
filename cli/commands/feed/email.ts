/** `svc email`: add, list, send and remove digests by email. */
import { defineCommand } from "citty";
import { EmailDigestInput } from "../../../src/integrations/email/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printJsonLines, printLine } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { reportChange } from "../../output/report.ts";
import { type Column, fittedTable } from "../../output/table.ts";

const add = defineCommand({
  meta: { name: "add", description: "Send an address a mail to confirm a digest" },
  args: {
    address: { type: "positional", required: true, description: "Email address" },
    daily: { type: "boolean", description: "Every day" },
    weekly: { type: "boolean", description: "Every Monday" },
    hour: { type: "string", description: "Hour of the day, UTC; 7 by default" },
    project: { type: "string", description: "Only this project; all by default" },
    ...apiFlags,
  },
  async run({ args }) {
    if (args.daily === args.weekly) throw new UsageError("Choose --daily or --weekly.");
    const { address, hour, project } = args;
    const period = args.daily ? "daily" : "weekly";
    const body = checkFlags(EmailDigestInput, { address, period, hour, project });
    const digest = await withApi(args, ({ api }) => unwrap(api.POST("/email-digests", { body })));
    await reportChange(args, digest, `Sent ${address} a mail to confirm. Nothing else is sent before.`);
  },
});

const listCommand = defineCommand({
  meta: { name: "list", description: "List digests" },
  args: { ...apiFlags },
  async run({ args }) {
    const { digests } = await withApi(args, ({ api }) => unwrap(api.GET("/email-digests")));
    if (args.json) await printJsonLines(digests);
    else await printLine(fittedTable(columns, digests.map(toRow)));
  },
});

const columns: Column[] = [
  { head: "ID" },
  { head: "ADDRESS", flexible: true },
  { head: "PERIOD" },
  { head: "HOUR", rank: 3 },
  { head: "PROJECT", rank: 2 },
  { head: "STATUS" },
  { head: "NEXT (UTC)", rank: 1 },
];

const toRow = ({ id, address, period, hour, project, status, next_at }: Schemas["EmailDigest"]) => [
  ...[id, address, period, `${String(hour).padStart(2, "0")}:00`, project ?? "all", status],
  next_at?.slice(0, 16).replace("T", " ") ?? "–",
];

const idArg = { id: { type: "positional", required: true, description: "ID of a digest" } } as const;

const send = defineCommand({
  meta: { name: "send", description: "Send a digest now, with what happened since the last one" },
  args: { ...idArg, ...apiFlags },
  async run({ args }) {
    const params = { path: { id: args.id } };
    const sent = await withApi(args, ({ api }) => unwrap(api.POST("/email-digests/{id}/send", { params })));
    await reportChange(args, sent, `Sent the digest ${args.id}.`);
  },
});

const remove = defineCommand({
  meta: { name: "remove", description: "Remove a digest" },
  args: { ...idArg, ...apiFlags },
  async run({ args }) {
    const params = { path: { id: args.id } };
    const removed = await withApi(args, ({ api }) =>
      unwrap(api.POST("/email-digests/{id}/remove", { params })),
    );
    await reportChange(args, removed, `Removed the digest ${args.id}.`);
  },
});

export default defineCommand({ subCommands: { add, list: listCommand, send, remove } });
