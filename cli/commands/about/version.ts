/** `svc version`: the version, and the commit it was built from. */
import { defineCommand } from "citty";
import { commit, version } from "../../../src/core/version.ts";
import { printLine } from "../../command.ts";
import { versionLine } from "../../help/version.ts";
import { outputFlags } from "../../output/report.ts";

export default defineCommand({
  args: outputFlags,
  run: ({ args }) =>
    printLine(args.json ? JSON.stringify({ version, commit, bun: Bun.version }) : versionLine),
});
