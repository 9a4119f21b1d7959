/** `svc decision`: retire. */
import { defineCommand } from "citty";
import { RetireInput } from "../../../src/memory/list-schemas.ts";
import { byField, remoteFlags, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { byFlag, checkFlags, reportErrors } from "../../command.ts";
import { outputFlags, reportChange } from "../../output/report.ts";

const retire = defineCommand({
  meta: { name: "retire", description: "End a decision without replacing it; it stays in the history" },
  args: {
    id: { type: "positional", description: "ID of the decision" },
    ...byFlag,
    ...outputFlags,
    ...remoteFlags,
  },
  run: reportErrors(async ({ args }) => {
    const { id, ...body } = checkFlags(RetireInput, { id: args.id, ...byField(args) });
    await withApi(args, async ({ api, place }) => {
      const decision = await unwrap(api.POST("/decisions/{id}/retire", { params: { path: { id } }, body }));
      await reportChange(args, decision, `Retired decision ${id} of ${decision.project} ${place}.`);
    });
  }),
});

export default defineCommand({ subCommands: { retire } });
