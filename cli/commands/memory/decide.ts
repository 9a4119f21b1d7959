/** `svc decide`: records a decision. */
import { defineCommand } from "citty";
import { checkInput } from "../../../src/lib/validate.ts";
import { DecideInput } from "../../../src/memory/schema.ts";
import { remoteFlags, serverUrl, withApi } from "../../api.ts";
import { unwrap } from "../../client/client.ts";
import { byFlag, printLine, reportErrors } from "../../command.ts";

export default defineCommand({
  args: {
    project: { type: "positional", description: "Project slug" },
    text: { type: "positional", description: "Text of the decision" },
    supersedes: { type: "string", description: "ID of the decision that this one replaces" },
    "source-ref": { type: "string", description: "Source: a URL, or owner/name#12" },
    ...byFlag,
    ...remoteFlags,
  },
  run: reportErrors(async ({ args }) => {
    const { project, text, supersedes, "source-ref": source_ref } = args;
    const fields = Object.entries({
      ...{ project, text, source_ref },
      source: "cli",
      supersedes: supersedes && /^\d+$/.test(supersedes) ? Number(supersedes) : supersedes,
      by: serverUrl(args) ? args.by : undefined,
    });
    const decision = checkInput(
      DecideInput,
      new Map(fields.filter(([, value]) => value !== undefined)),
    ) as DecideInput;
    const { id, added } = await withApi(args, ({ api }) =>
      unwrap(api.POST("/decisions", { body: decision })),
    );
    process.stderr.write(added ? `Recorded decision ${id}.\n` : `Decision ${id} already has this text.\n`);
    await printLine(String(id));
  }),
});
