/** `svc decide`: record a decision. */
import { defineCommand } from "citty";
import { checkInput } from "../src/check.ts";
import { decide } from "../src/memory/decisions.ts";
import { DecisionText } from "../src/memory/schema.ts";
import { byFlag, dataDirFlag, run, userOf } from "./command.ts";
import { open } from "./open.ts";

export default defineCommand({
  args: {
    project: { type: "positional", description: "Project" },
    text: { type: "positional", description: "What was decided" },
    supersedes: { type: "string", description: "Id of the decision it replaces" },
    "source-ref": { type: "string", description: "An address, or owner/name#12" },
    ...byFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const { project, text, supersedes, "source-ref": source_ref } = args;
    const said = Object.entries({
      project,
      text,
      source: "cli",
      source_ref,
      supersedes: supersedes && /^\d+$/.test(supersedes) ? Number(supersedes) : supersedes,
    });
    const decision = checkInput(DecisionText, new Map(said.filter(([, value]) => value !== undefined))) as DecisionText;
    const { id, added } = await decide(ctx, decision, userOf(args.by));
    await ctx.close();
    if (!added) process.stderr.write(`Decision ${id} says this already.\n`);
    process.stdout.write(`${id}\n`);
  }),
});
