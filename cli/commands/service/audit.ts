/** `svc audit`: the audit log. */
import { defineCommand } from "citty";
import { AuditQuery } from "../../../src/core/audit/schema.ts";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Api, type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printJsonLines, printLine, textFlag } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { instantOf } from "../../output/duration.ts";
import { fittedTable } from "../../output/table.ts";

export default defineCommand({
  args: {
    since: textFlag("Only entries since this time: an RFC 3339 timestamp, or a duration such as 7d", "time"),
    token: { type: "string", description: "Only requests with this token", valueHint: "name" },
    limit: { type: "string", description: "Number of entries, newest last", default: "50" },
    ...apiFlags,
  },
  async run({ args }) {
    if (!/^[1-9]\d{0,6}$/.test(args.limit))
      throw new UsageError("--limit must be a number from 1 to 9999999.");
    const { token } = checkFlags(AuditQuery, { token: args.token });
    const since = args.since === undefined ? undefined : instantOf(args.since);
    const entries = await withApi(args, ({ api }) => loadEntries(api, { since, token }, Number(args.limit)));
    if (args.json) return printJsonLines(entries);
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
  },
});

const pageMax = 200;

/** The newest entries, oldest first. */
async function loadEntries(
  api: Api,
  filter: { since: string | undefined; token: string | undefined },
  count: number,
): Promise<Schemas["AuditEntry"][]> {
  const entries: Schemas["AuditEntry"][] = [];
  for (let before: number | null | undefined; before !== null; ) {
    const given = { ...filter, before, limit: Math.min(pageMax, count - entries.length) };
    const query = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    const page = await unwrap(api.GET("/audit", { params: { query } }));
    entries.push(...page.entries);
    before = entries.length < count ? page.next_before : null;
  }
  return entries.toReversed();
}

const columns = [
  { head: "TIME" },
  { head: "WHO", flexible: true as const },
  { head: "VIA", rank: 2 },
  { head: "ACTION" },
  { head: "TARGET", rank: 1, flexible: true as const },
  { head: "OUTCOME", flexible: true as const },
  { head: "REQUEST", rank: 3 },
];
