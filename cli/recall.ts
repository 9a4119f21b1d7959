/** `svc recall`: ask the memory. */
import { defineCommand } from "citty";
import { adminCaller } from "../src/auth/caller.ts";
import { escapeControls } from "../src/lib/display-text.ts";
import { checkInput } from "../src/lib/validate.ts";
import { recall } from "../src/memory/recall.ts";
import { type Hit, hitKinds, RecallQuery } from "../src/memory/schema.ts";
import { dataDirFlag, jsonFlag, list, run } from "./command.ts";
import { open } from "./open.ts";

export default defineCommand({
  args: {
    query: { type: "positional", description: "Words to look for" },
    project: { type: "string", description: "Only of this project, and what is for all" },
    kinds: { type: "string", description: `Comma-separated: ${hitKinds.join(", ")}` },
    "as-of": { type: "string", description: "What held at that time, RFC 3339" },
    limit: { type: "string", description: "At most so many (8)" },
    ...jsonFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const { query, project, kinds, "as-of": as_of, limit } = args;
    const said = Object.entries({
      query,
      project,
      kinds: kinds === undefined ? undefined : list(kinds),
      as_of,
      limit: limit !== undefined && /^\d+$/.test(limit) ? Number(limit) : limit,
    });
    const asked = checkInput(
      RecallQuery,
      new Map(said.filter(([, value]) => value !== undefined)),
    ) as RecallQuery;
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const { hits } = await recall(ctx, asked, adminCaller);
    await ctx.close();
    for (const hit of hits) process.stdout.write(`${args.json ? JSON.stringify(hit) : shown(hit)}\n`);
    if (hits.length === 0) process.stderr.write("Nothing that is remembered answers this.\n");
  }),
});

function shown({
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
    project ?? "for all",
    valid_from.slice(0, 10),
    actor,
    [source, source_ref].filter(Boolean).join(" "),
  ];
  const lines = [...(heading ? [heading] : []), ...text.split("\n"), `found by: ${why.join(", ")}`];
  return [head.map(escapeControls).join("  "), ...lines.map((line) => `  ${escapeControls(line)}`)].join(
    "\n",
  );
}
