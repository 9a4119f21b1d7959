/** `svc brief`: what to know before a task. */
import { defineCommand } from "citty";
import { adminCaller } from "../src/auth/caller.ts";
import { checkInput } from "../src/lib/validate.ts";
import { brief } from "../src/memory/brief.ts";
import { BriefQuery } from "../src/memory/schema.ts";
import { dataDirFlag, jsonFlag, run } from "./command.ts";
import { open } from "./open.ts";

export default defineCommand({
  args: {
    project: { type: "positional", description: "Project" },
    intent: { type: "positional", required: false, description: "What is to be done" },
    issue: { type: "string", description: "Number of the issue it is about" },
    model: { type: "string", description: "Model that does the work" },
    "max-chars": { type: "string", description: "Length of the text, at most (8000)" },
    ...jsonFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const { project, intent, issue, model, "max-chars": max_chars } = args;
    const number = (text: string | undefined) =>
      text !== undefined && /^\d+$/.test(text) ? Number(text) : text;
    const said = Object.entries({
      project,
      intent,
      issue: number(issue),
      model,
      max_chars: number(max_chars),
    });
    const query = checkInput(
      BriefQuery,
      new Map(said.filter(([, value]) => value !== undefined)),
    ) as BriefQuery;
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const compiled = await brief(ctx, query, adminCaller);
    await ctx.close();
    process.stdout.write(`${args.json ? JSON.stringify(compiled) : compiled.text}\n`);
  }),
});
