/** `svc decide`: record a decision. */
import { defineCommand } from "citty";
import { checkInput } from "../src/lib/validate.ts";
import { DecideInput } from "../src/memory/schema.ts";
import { remoteFlags, serverOf, withApi } from "./api.ts";
import { said as answered } from "./client/client.ts";
import { byFlag, run, say } from "./command.ts";

export default defineCommand({
  args: {
    project: { type: "positional", description: "Project" },
    text: { type: "positional", description: "What was decided" },
    supersedes: { type: "string", description: "Id of the decision it replaces" },
    "source-ref": { type: "string", description: "An address, or owner/name#12" },
    ...byFlag,
    ...remoteFlags,
  },
  run: run(async ({ args }) => {
    const { project, text, supersedes, "source-ref": source_ref } = args;
    const said = Object.entries({
      ...{ project, text, source_ref },
      source: "cli",
      supersedes: supersedes && /^\d+$/.test(supersedes) ? Number(supersedes) : supersedes,
      by: serverOf(args) ? args.by : undefined,
    });
    const decision = checkInput(
      DecideInput,
      new Map(said.filter(([, value]) => value !== undefined)),
    ) as DecideInput;
    const { id, added } = await withApi(args, ({ api }) =>
      answered(api.POST("/decisions", { body: decision })),
    );
    if (!added) process.stderr.write(`Decision ${id} says this already.\n`);
    await say(String(id));
  }),
});
