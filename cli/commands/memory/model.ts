/** `svc model`: adds or changes a model, and lists models. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/lib/display-text.ts";
import { checkInput } from "../../../src/lib/validate.ts";
import { modelOf } from "../../../src/memory/models.ts";
import { onboardModel } from "../../../src/models/onboard.ts";
import { ModelInput } from "../../../src/models/schema.ts";
import { actorFrom, byFlag, dataDirFlag, jsonFlag, reportErrors, splitList } from "../../command.ts";
import { commandAct, open, withAuditedContext } from "../../open.ts";
import { table } from "../../output/table.ts";

const onboard = defineCommand({
  meta: { name: "onboard", description: "Add a model, or change it" },
  args: {
    id: { type: "positional", description: "Model ID" },
    provider: { type: "string", required: true, description: "Provider, such as openai" },
    lanes: { type: "string", required: true, description: "Comma-separated lanes that the model works in" },
    ...byFlag,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const user = actorFrom(args.by);
    const fields = new Map<string, unknown>(
      Object.entries({ id: args.id, provider: args.provider, lanes: splitList(args.lanes) }),
    );
    const act = commandAct(user, "model onboard", args.id ?? null);
    const { id, outcome } = await withAuditedContext(act, { SVC_DATA_DIR: args["data-dir"] }, async (ctx) => {
      const model = checkInput(ModelInput, fields) as ModelInput;
      return { id: model.id, outcome: await onboardModel(ctx, model, user) };
    });
    process.stderr.write(`${outcome === "onboarded" ? "Added" : "Updated"} model "${id}".\n`);
  }),
});

const listModels = defineCommand({
  meta: { name: "list", description: "List models and the age of their guidance" },
  args: { ...jsonFlag, ...dataDirFlag },
  run: reportErrors(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const models = (await ctx.data.models()).map((row) => modelOf(row, ctx.now()));
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
    const lines = args.json
      ? models.map((model) => JSON.stringify(model))
      : [table(["MODEL", "PROVIDER", "STATUS", "LANES", "SECTIONS", "SKILLS", "AGE"], rows)];
    for (const line of lines) process.stdout.write(`${line}\n`);
  }),
});

export default defineCommand({
  subCommands: { onboard, list: listModels },
});
