/** `svc run show`: one run. */
import { defineCommand } from "citty";
import type { RunDetail } from "../../../src/overview/runs/schema.ts";
import { runText } from "../../../src/overview/runs/text.ts";
import { remoteFlags, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { printLine, reportErrors } from "../../command.ts";
import { outputFlags } from "../../output/report.ts";

export default defineCommand({
  meta: { name: "show", description: "Show a run with its events, what it made and what it was told" },
  args: {
    id: { type: "positional", required: true, description: "Run ID" },
    project: { type: "string", description: "Its project, when several have a run of this id" },
    ...outputFlags,
    ...remoteFlags,
  },
  run: reportErrors(async ({ args }) => {
    const { id, project } = args;
    const run = await withApi(args, ({ api }) =>
      unwrap(api.GET("/runs/{id}", { params: { path: { id }, query: project ? { project } : {} } })),
    );
    // A terminal has no reader to warn, so the text needs no tags.
    await printLine(args.json ? JSON.stringify(run) : runText(run as RunDetail, (_, text) => text));
  }),
});
