/** `svc decision`: anchors, check, confirm, drop, retire. */
import { defineCommand } from "citty";
import { AnchorsInput } from "../../../src/memory/anchor-schema.ts";
import { DecisionPath, RetireInput } from "../../../src/memory/list-schemas.ts";
import { apiFlags, byField, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { byFlag, checkFlags } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { reportChange } from "../../output/report.ts";
import { anchorsFlag, anchorText, findAnchors } from "../../repository/given-anchors.ts";
import check from "./decision-check.ts";

const id = { type: "positional", description: "ID of the decision" } as const;

const retire = defineCommand({
  meta: { name: "retire", description: "End a decision without replacing it; it stays in the history" },
  args: {
    id,
    ...byFlag,
    ...apiFlags,
  },
  async run({ args }) {
    const { id, ...body } = checkFlags(RetireInput, { id: args.id, ...byField(args) });
    await withApi(args, async ({ api, place }) => {
      const decision = await unwrap(api.POST("/decisions/{id}/retire", { params: { path: { id } }, body }));
      const advice = decision.advice === null ? "" : ` ${decision.advice}`;
      await reportChange(args, decision, `Retired decision ${id} of ${decision.project} ${place}.${advice}`);
    });
  },
});

const settling = (name: "confirm" | "drop", done: string, description: string) =>
  defineCommand({
    meta: { name, description },
    args: { id, ...apiFlags },
    async run({ args }) {
      const path = checkFlags(DecisionPath, { id: args.id });
      await withApi(args, async ({ api, place }) => {
        const decision = await unwrap(api.POST(`/decisions/{id}/${name}`, { params: { path } }));
        await reportChange(args, decision, `${done} decision ${path.id} of ${decision.project} ${place}.`);
      });
    },
  });

const confirm = settling("confirm", "Confirmed", "Confirm what an agent decided, as a person");
const drop = settling("drop", "Dropped", "Drop what an agent decided; what it replaced applies again");

const anchors = defineCommand({
  meta: { name: "anchors", description: "Replace the files that a decision speaks of" },
  args: {
    id,
    ...anchorsFlag,
    clear: { type: "boolean", description: "None: it applies for what its words say" },
    ...apiFlags,
  },
  async run({ args }) {
    if (args.clear === (args.anchors !== undefined)) throw new UsageError("Pass --anchors or --clear.");
    const found = args.clear ? [] : findAnchors("", args.anchors);
    const { id, ...body } = checkFlags(AnchorsInput, { id: args.id, anchors: found });
    await withApi(args, async ({ api, place }) => {
      const decision = await unwrap(api.PUT("/decisions/{id}/anchors", { params: { path: { id } }, body }));
      const named = anchorText(found) || " It speaks of no files.";
      await reportChange(args, decision, `Changed decision ${id} of ${decision.project} ${place}.${named}`);
    });
  },
});

export default defineCommand({ subCommands: { anchors, check, confirm, drop, retire } });
