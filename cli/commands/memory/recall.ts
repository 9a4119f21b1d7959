/** `svc recall`: searches memory. */
import { defineCommand } from "citty";
import { adminCaller } from "../../../src/auth/caller.ts";
import { escapeControls } from "../../../src/lib/display-text.ts";
import { checkInput } from "../../../src/lib/validate.ts";
import { recall } from "../../../src/memory/recall.ts";
import { type Hit, hitKinds, RecallQuery } from "../../../src/memory/schema.ts";
import { dataDirFlag, jsonFlag, reportErrors, splitList } from "../../command.ts";
import { open } from "../../open.ts";

export default defineCommand({
  args: {
    query: { type: "positional", description: "Search terms" },
    project: { type: "string", description: "Search this project, and what applies to all projects" },
    kinds: { type: "string", description: `Kinds of results, comma-separated: ${hitKinds.join(", ")}` },
    "as-of": { type: "string", description: "Search memory as it was at this time (RFC 3339)" },
    limit: { type: "string", description: "Maximum number of results (default 8)" },
    ...jsonFlag,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const { query, project, kinds, "as-of": as_of, limit } = args;
    const fields = Object.entries({
      query,
      project,
      kinds: kinds === undefined ? undefined : splitList(kinds),
      as_of,
      limit: limit !== undefined && /^\d+$/.test(limit) ? Number(limit) : limit,
    });
    const request = checkInput(
      RecallQuery,
      new Map(fields.filter(([, value]) => value !== undefined)),
    ) as RecallQuery;
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const { hits } = await recall(ctx, request, adminCaller);
    await ctx.close();
    for (const hit of hits) process.stdout.write(`${args.json ? JSON.stringify(hit) : formatHit(hit)}\n`);
    if (hits.length === 0) process.stderr.write("No matches.\n");
  }),
});

function formatHit({
  kind,
  id,
  project,
  heading,
  text,
  source,
  source_ref,
  actor,
  valid_from,
  why,
}: Hit): string {
  const head = [
    `${kind} ${id}`,
    project ?? "all projects",
    valid_from.slice(0, 10),
    actor,
    [source, source_ref].filter(Boolean).join(" "),
  ];
  const lines = [...(heading ? [heading] : []), ...text.split("\n"), `matched by: ${why.join(", ")}`];
  return [head.map(escapeControls).join("  "), ...lines.map((line) => `  ${escapeControls(line)}`)].join(
    "\n",
  );
}
