/** `svc audit`: the audit log. */
import { defineCommand } from "citty";
import { listAudit } from "../../../src/core/audit/audit-log.ts";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { dataDirFlag, printLine, reportErrors, UsageError } from "../../command.ts";
import { open } from "../../open.ts";
import { sinceOf } from "../../output/duration.ts";
import { outputFlags } from "../../output/report.ts";
import { fittedTable } from "../../output/table.ts";

export default defineCommand({
  args: {
    since: {
      type: "string",
      description: "Only entries since this time: an RFC 3339 timestamp, or a duration such as 7d",
      valueHint: "time",
    },
    token: { type: "string", description: "Only requests with this token", valueHint: "name" },
    limit: { type: "string", description: "Number of entries, newest last", default: "50" },
    ...outputFlags,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    if (!/^[1-9]\d{0,6}$/.test(args.limit))
      throw new UsageError("--limit must be a number from 1 to 9999999.");
    const since = args.since === undefined ? null : sinceOf(args.since);
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const entries = await listAudit(ctx, {
      ...(since && { since: since(ctx.now()) }),
      ...(args.token !== undefined && { who: args.token }),
      limit: Number(args.limit),
    });
    await ctx.close();
    if (args.json) {
      for (const entry of entries) await printLine(JSON.stringify(entry));
      return;
    }
    const cells = entries.map((entry) => [
      `${entry.at.slice(0, 19)}Z`,
      entry.who ?? entry.address ?? "–",
      entry.via,
      entry.what,
      [entry.project, entry.target].filter(Boolean).join(" ") || "–",
      `${entry.outcome}${entry.count > 1 ? ` ×${entry.count}` : ""}`,
      entry.request ?? "–",
    ]);
    await printLine(
      fittedTable(
        columns,
        cells.map((row) => row.map(escapeControls)),
      ),
    );
  }),
});

const columns = [
  { head: "TIME" },
  { head: "WHO", flexible: true as const },
  { head: "VIA", rank: 2 },
  { head: "ACTION" },
  { head: "TARGET", rank: 1, flexible: true as const },
  { head: "OUTCOME", flexible: true as const },
  { head: "REQUEST", rank: 3 },
];
