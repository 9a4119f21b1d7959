/** `svc consolidate`: summarizes events into the digest of each project. */
import { defineCommand } from "citty";
import { consolidate } from "../../../src/memory/consolidate.ts";
import { actorFrom, dataDirFlag, reportErrors } from "../../command.ts";
import { commandAct, withAuditedContext } from "../../open.ts";
import { outputFlags } from "../../output/report.ts";
import { plural } from "../../output/table.ts";
import { writeOutput } from "../../output/terminal.ts";

export default defineCommand({
  args: {
    project: { type: "positional", required: false, description: "Project slug (default: all projects)" },
    ...outputFlags,
    ...dataDirFlag,
  },
  run: reportErrors(async ({ args }) => {
    const act = commandAct(actorFrom(undefined), "consolidate", args.project ?? null);
    const results = await withAuditedContext(act, { SVC_DATA_DIR: args["data-dir"] }, (ctx) =>
      consolidate(ctx, args.project ? [args.project] : undefined),
    );
    for (const result of results) {
      const summary =
        result.events > 0
          ? `summarized ${plural(result.events, "event")} into ${plural(result.rollups, "rollup")}`
          : "no new events";
      writeOutput(args.json ? `${JSON.stringify(result)}\n` : `${result.project}: ${summary}\n`);
    }
  }),
});
