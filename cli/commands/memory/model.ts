/** `svc model`: adds or changes a model, and lists models. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { ModelInput } from "../../../src/memory/models/schema.ts";
import { apiFlags, byField, withApi } from "../../api.ts";
import { type Schemas, unwrap } from "../../client/client.ts";
import { byFlag, checkFlags } from "../../command.ts";
import { reportChange } from "../../output/report.ts";
import { fittedTable } from "../../output/table.ts";
import { writeOutput } from "../../output/terminal.ts";

const onboard = defineCommand({
  meta: { name: "onboard", description: "Add a model, or change it" },
  args: {
    id: { type: "positional", description: "Model ID" },
    provider: { type: "string", required: true, description: "Provider, such as openai" },
    lanes: { type: "string", required: true, description: "Comma-separated lanes that the model works in" },
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const model = checkFlags(ModelInput, args);
    const body = { ...model, ...byField(args) } as Schemas["ModelRequest"];
    await withApi(args, async ({ api, place }) => {
      const { added } = await unwrap(api.PUT("/models", { body }));
      await reportChange(args, model, `${added ? "Added" : "Updated"} model "${model.id}" ${place}.`);
    });
  },
});

const list = defineCommand({
  meta: { name: "list", description: "List models and the age of their guidance" },
  args: { ...apiFlags },
  async run({ args }) {
    const { models } = await withApi(args, ({ api }) => unwrap(api.GET("/models")));
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
  },
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
