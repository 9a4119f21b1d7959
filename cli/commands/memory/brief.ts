/** `svc brief`: the brief for a task. */
import { defineCommand } from "citty";
import { adminCaller } from "../../../src/auth/caller.ts";
import { checkInput } from "../../../src/lib/validate.ts";
import { brief } from "../../../src/memory/brief.ts";
import { BriefQuery } from "../../../src/memory/schema.ts";
import { dataDirFlag, jsonFlag, reportErrors } from "../../command.ts";
import { open } from "../../open.ts";

export default defineCommand({
  args: {
    project: { type: "positional", description: "Project slug" },
    intent: { type: "positional", required: false, description: "What the task is about" },
    issue: { type: "string", description: "Issue number" },
    model: { type: "string", description: "Model that works on the task" },
    "max-chars": { type: "string", description: "Maximum length in characters (default 8000)" },
    ...jsonFlag,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const { project, intent, issue, model, "max-chars": max_chars } = args;
    const number = (text: string | undefined) =>
      text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
    const fields = Object.entries({
      project,
      intent,
      issue: number(issue),
      model,
      max_chars: number(max_chars),
    });
    const query = checkInput(
      BriefQuery,
      new Map(fields.filter(([, value]) => value !== undefined)),
    ) as BriefQuery;
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const compiledBrief = await brief(ctx, query, adminCaller);
    await ctx.close();
    process.stdout.write(`${args.json ? JSON.stringify(compiledBrief) : compiledBrief.text}\n`);
  }),
});
