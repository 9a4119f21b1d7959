/** `svc consolidate`: summarizes events into the digest of each project. */
import { defineCommand } from "citty";
import { escapeControls } from "../../../src/core/lib/strings/display-text.ts";
import { apiFlags, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { plural } from "../../output/table.ts";
import { writeOutput } from "../../output/terminal.ts";

export default defineCommand({
  args: {
    project: { type: "positional", required: false, description: "Project slug (default: all projects)" },
    ...apiFlags,
  },
  async run({ args }) {
    const body = args.project === undefined ? {} : { project: args.project };
    const { results } = await withApi(args, ({ api }) => unwrap(api.POST("/consolidate", { body })));
    for (const result of results) {
      const summary =
        result.events > 0
          ? `summarized ${plural(result.events, "event")} into ${plural(result.rollups, "rollup")}`
          : "no new events";
      writeOutput(
        args.json ? `${JSON.stringify(result)}\n` : `${escapeControls(result.project)}: ${summary}\n`,
      );
    }
  },
});
