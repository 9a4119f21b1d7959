/** `svc inbox`: what you should act on; marks items as done, or snoozes them. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { inboxViews, type Marked, snoozes } from "../../../src/overview/inbox/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { printLine, splitList } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { note, reportChange } from "../../output/report.ts";
import { type Column, fittedTable, formatAge } from "../../output/table.ts";

type Inbox = Schemas["Inbox"];

const columns: Column[] = [
  { head: "ID" },
  { head: "WHEN", rank: 2 },
  { head: "PROJECT", rank: 3 },
  { head: "NEXT", rank: 1 },
  { head: "WHAT", flexible: true },
];

const toRow = ({ id, at, project, action, title }: Inbox["items"][number]): string[] => [
  id,
  formatAge(Math.max(0, Date.now() - Date.parse(at))),
  project ?? "–",
  action,
  escapeControls(title).replaceAll("\n", " "),
];

export const inboxTable = ({ items }: Inbox): string => fittedTable(columns, items.map(toRow));

const idArg = {
  id: { type: "positional", required: true, description: "Item, or several, comma-separated" },
} as const;

const left = (count: number): string => (count === 0 ? "Nothing is left." : `${count} left.`);

/** @throws UsageError for ids that are not in the inbox; the others are marked */
async function reportMarks(
  args: Parameters<typeof reportChange>[0],
  marked: Marked,
  done: string,
): Promise<void> {
  const { unknown, count } = marked;
  if (unknown.length > 0)
    throw new UsageError(`Not in your inbox: ${unknown.join(", ")}. The ids are those of \`svc inbox\`.`);
  await reportChange(args, marked, `${done} ${left(count)}`);
}

const done = defineCommand({
  meta: { name: "done", description: "Mark items as done; something new brings them back" },
  args: {
    ...idArg,
    undo: { type: "boolean", description: "Put the items back, also snoozed ones" },
    ...apiFlags,
  },
  async run({ args }) {
    const body = { ids: splitList(args.id), done: !args.undo };
    const marked = await withApi(args, ({ api }) => unwrap(api.POST("/inbox/done", { body })));
    await reportMarks(args, marked, args.undo ? "Put back." : "Done.");
  },
});

const snooze = defineCommand({
  meta: { name: "snooze", description: "Hide items for a while" },
  args: {
    ...idArg,
    for: {
      type: "string",
      default: "hour",
      description: "hour, tomorrow (9:00) or next_week (Monday, 9:00), in your time zone",
    },
    ...apiFlags,
  },
  async run({ args }) {
    const length = snoozes.find((one) => one === args.for);
    if (length === undefined) throw new UsageError(`--for must be one of ${snoozes.join(", ")}.`);
    const time_zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    const body = { ids: splitList(args.id), for: length, time_zone };
    const marked = await withApi(args, ({ api }) => unwrap(api.POST("/inbox/snooze", { body })));
    const until = String(marked.until).slice(0, 16).replace("T", " ");
    await reportMarks(args, marked, `Snoozed until ${until} UTC.`);
  },
});

export default defineCommand({
  args: {
    view: { type: "string", default: "open", description: "open, done or snoozed" },
    ...apiFlags,
  },
  subCommands: { done, snooze },
  async run({ args }) {
    const view = inboxViews.find((one) => one === args.view);
    if (view === undefined) throw new UsageError(`--view must be one of ${inboxViews.join(", ")}.`);
    const inbox = await withApi(args, ({ api }) =>
      unwrap(api.GET("/inbox", { params: { query: { view } } })),
    );
    if (args.json) return printLine(JSON.stringify(inbox));
    if (inbox.items.length === 0)
      return note(args, view === "open" ? "Nothing needs you." : `Nothing is ${view}.`);
    await printLine(inboxTable(inbox));
  },
});
