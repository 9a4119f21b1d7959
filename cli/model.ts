/** `svc model`: onboard, list. */
import { defineCommand } from "citty";
import { escapeControls } from "../src/lib/display-text.ts";
import { checkInput } from "../src/lib/validate.ts";
import { modelOf } from "../src/memory/models.ts";
import { onboardModel } from "../src/models/onboard.ts";
import { Onboarding } from "../src/models/schema.ts";
import { byFlag, dataDirFlag, jsonFlag, list, run, userOf } from "./command.ts";
import { actAs, actOfUser, open } from "./open.ts";
import { table } from "./table.ts";

const onboard = defineCommand({
  meta: { name: "onboard", description: "Onboard a model, or change what is said of it" },
  args: {
    id: { type: "positional", description: "Id of the model" },
    provider: { type: "string", required: true, description: "Who serves it" },
    lanes: { type: "string", required: true, description: "Comma-separated lanes it works in" },
    ...byFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const user = userOf(args.by);
    const said = new Map<string, unknown>(
      Object.entries({ id: args.id, provider: args.provider, lanes: list(args.lanes) }),
    );
    const act = actOfUser(user, "model onboard", args.id ?? null);
    const { id, outcome } = await actAs(act, { SVC_DATA_DIR: args["data-dir"] }, async (ctx) => {
      const model = checkInput(Onboarding, said) as Onboarding;
      return { id: model.id, outcome: await onboardModel(ctx, model, user) };
    });
    process.stderr.write(`Model ${id} ${outcome === "onboarded" ? "is onboarded" : "was changed"}.\n`);
  }),
});

const listModels = defineCommand({
  meta: { name: "list", description: "List models and how old their guidance is" },
  args: { ...jsonFlag, ...dataDirFlag },
  run: run(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const models = (await ctx.data.models()).map((row) => modelOf(row, ctx.now()));
    await ctx.close();
    const rows = models.map((one) => [
      ...[escapeControls(one.id), escapeControls(one.provider), one.status, one.lanes.join(",") || "none"],
      ...[one.guidance_count, one.skill_count, one.stale_days].map(String),
    ]);
    const lines = args.json
      ? models.map((one) => JSON.stringify(one))
      : [table(["MODEL", "PROVIDER", "STATUS", "LANES", "SECTIONS", "SKILLS", "DAYS"], rows)];
    for (const line of lines) process.stdout.write(`${line}\n`);
  }),
});

export default defineCommand({
  subCommands: { onboard, list: listModels },
});
