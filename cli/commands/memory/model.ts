/** `svc model`: adds or changes a model, and lists models. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { onboardModel } from "../../../src/memory/models/onboard.ts";
import { ModelInput } from "../../../src/memory/models/schema.ts";
import { listModels } from "../../../src/memory/models.ts";
import { actorFrom, byFlag, checkFlags, dataDirFlag, reportErrors } from "../../command.ts";
import { databaseName } from "../../login/target.ts";
import { commandAct, open, withAuditedContext } from "../../open.ts";
import { outputFlags, reportChange } from "../../output/report.ts";
import { fittedTable } from "../../output/table.ts";
import { writeOutput } from "../../output/terminal.ts";

const onboard = defineCommand({
  meta: { name: "onboard", description: "Add a model, or change it" },
  args: {
    id: { type: "positional", description: "Model ID" },
    provider: { type: "string", required: true, description: "Provider, such as openai" },
    lanes: { type: "string", required: true, description: "Comma-separated lanes that the model works in" },
    ...byFlag,
    ...outputFlags,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const user = actorFrom(args.by);
    const model = checkFlags(ModelInput, args);
    const act = commandAct(user, "model onboard", model.id);
    await withAuditedContext(act, { SVC_DATA_DIR: args["data-dir"] }, async (ctx) => {
      const outcome = await onboardModel(ctx, model, user);
      const verb = outcome === "onboarded" ? "Added" : "Updated";
      const place = `in ${databaseName(ctx.config.databaseUrl)}`;
      await reportChange(args, model, `${verb} model "${model.id}" ${place}.`);
    });
  }),
});

const list = defineCommand({
  meta: { name: "list", description: "List models and the age of their guidance" },
  args: { ...outputFlags, ...dataDirFlag },
  run: reportErrors(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const { models } = await listModels(ctx);
    await ctx.close();
    const rows = models.map((model) => [
      ...[
        escapeControls(model.id),
        escapeControls(model.provider),
        model.status,
        model.lanes.join(",") || "none",
      ],
      ...[String(model.guidance_count), String(model.skill_count), `${model.stale_days}d`],
    ]);
    const lines = args.json ? models.map((model) => JSON.stringify(model)) : [fittedTable(columns, rows)];
    for (const line of lines) writeOutput(`${line}\n`);
  }),
});

const columns = [
  { head: "MODEL", flexible: true as const },
  { head: "PROVIDER", rank: 3, flexible: true as const },
  { head: "STATUS" },
  { head: "LANES", rank: 1 },
  { head: "SECTIONS", rank: 4 },
  { head: "SKILLS", rank: 5 },
  { head: "AGE", rank: 2 },
];

export default defineCommand({
  subCommands: { onboard, list },
});
