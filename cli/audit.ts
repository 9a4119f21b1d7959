/** `svc audit`: who wrote what, and who was refused. */
import { defineCommand } from "citty";
import { escapeControls } from "../src/lib/display-text.ts";
import { fromMicros, parseTime, toMicros } from "../src/lib/time.ts";
import { type Status, statuses } from "../src/problem.ts";
import type { AuditRow } from "../src/rows.ts";
import { dataDirFlag, jsonFlag, run, say, UsageError } from "./command.ts";
import { duration } from "./duration.ts";
import { open } from "./open.ts";
import { table } from "./table.ts";

export default defineCommand({
  args: {
    since: {
      type: "string",
      description: "Not older: an RFC 3339 timestamp, or a length of time such as 7d",
      valueHint: "time",
    },
    token: { type: "string", description: "Only what came with this token", valueHint: "name" },
    limit: { type: "string", description: "The newest so many", default: "50" },
    ...jsonFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    if (!/^[1-9]\d{0,6}$/.test(args.limit)) throw new UsageError("--limit takes a number from 1 to 9999999");
    const since = args.since === undefined ? null : sinceOf(args.since);
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const rows = await ctx.data.audit({
      ...(since && { since: since(ctx.now()) }),
      ...(args.token !== undefined && { who: args.token }),
      limit: Number(args.limit),
    });
    await ctx.close();
    if (args.json) {
      for (const row of rows.toReversed())
        await say(JSON.stringify({ ...row, at: fromMicros(row.at), outcome: outcomeOf(row) }));
      return;
    }
    const cells = rows
      .toReversed()
      .map((row) => [
        `${fromMicros(row.at).slice(0, 19)}Z`,
        row.who ?? row.address ?? "–",
        row.via,
        row.what,
        [row.project, row.target].filter(Boolean).join(" ") || "–",
        `${outcomeOf(row)}${row.count > 1 ? ` ×${row.count}` : ""}`,
        row.request ?? "–",
      ]);
    await say(
      table(
        ["TIME", "WHO", "VIA", "WHAT", "ON", "OUTCOME", "REQUEST"],
        cells.map((row) => row.map(escapeControls)),
      ),
    );
  }),
});

const outcomeOf = ({ status }: AuditRow): string =>
  status === 200 ? "ok" : `refused: ${status} ${statuses[status as Status]?.[0] ?? ""}`.trimEnd();

/** A moment, or the one so long before now. */
function sinceOf(text: string): (now: number) => number {
  if (/^\d+[a-z]$/.test(text)) {
    const before = duration("since", text);
    return (now) => now - before;
  }
  if (parseTime(text) === null)
    throw new UsageError("--since takes an RFC 3339 timestamp, or a length of time such as 7d");
  return () => toMicros(text);
}
