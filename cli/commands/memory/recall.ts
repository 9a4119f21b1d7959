/** `svc recall`: searches memory. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { hitKinds, hitsDefault, RecallQuery } from "../../../src/memory/recall/schema.ts";
import { apiFlags, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { checkFlags, printLine } from "../../command.ts";
import { serverTarget } from "../../login/target.ts";
import { note } from "../../output/report.ts";
import { wrapIndented } from "../../output/table.ts";
import { terminalWidth } from "../../output/terminal.ts";

type Hit = Schemas["Recalled"]["hits"][number];

export default defineCommand({
  args: {
    query: { type: "positional", description: "Search terms" },
    project: { type: "string", description: "Search this project, and what applies to all projects" },
    kinds: { type: "string", description: `Kinds of results, comma-separated: ${hitKinds.join(", ")}` },
    "as-of": { type: "string", description: "Search memory as it was at this time (RFC 3339)" },
    limit: { type: "string", description: `Maximum number of results (default ${hitsDefault})` },
    "run-id": { type: "string", description: "Your run: its page shows what you searched for" },
    ...apiFlags,
  },
  async run({ args }) {
    const query = checkFlags(RecallQuery, args);
    const isStored = query.run_id !== undefined;
    const local = serverTarget(args) || isStored ? null : await import("../../local-recall.ts");
    const { hits } =
      (await local?.localRecall(args["data-dir"], query)) ??
      (await withApi(args, ({ api }) => unwrap(api.GET("/recall", { params: { query } }))));
    for (const hit of hits) await printLine(args.json ? JSON.stringify(hit) : formatHit(hit));
    if (hits.length === 0) note(args, "No matches.");
  },
});

function formatHit(hit: Hit): string {
  const head = [
    `${hit.kind} ${hit.id}`,
    hit.project ?? "all projects",
    hit.valid_from.slice(0, 10),
    hit.actor,
    [hit.source, hit.source_ref].filter(Boolean).join(" "),
  ];
  const lines = [
    ...(hit.heading ? [hit.heading] : []),
    ...hit.text.split("\n"),
    `matched by: ${hit.why.join(", ")}`,
  ];
  const width = terminalWidth();
  return [
    ...wrapIndented(head.map(escapeControls).join("  "), width, ""),
    ...lines.flatMap((line) => wrapIndented(escapeControls(line), width, "  ")),
  ].join("\n");
}
