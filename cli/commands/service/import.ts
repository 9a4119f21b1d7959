/** `svc import`: reads a folder of `svc export`. After an interruption, run it again. */
import { defineCommand } from "citty";
import { dataDirFlag } from "../../command.ts";
import { outputFlags } from "../../output/report.ts";
import { bytesFlag, forceFlag, restoreFrom, takeOverFlag } from "./backup-commands.ts";

export default defineCommand({
  args: {
    folder: { type: "positional", required: true, description: "Folder written by svc export" },
    ...forceFlag,
    ...bytesFlag,
    ...takeOverFlag,
    ...outputFlags,
    ...dataDirFlag,
  },
  run: ({ args }) => restoreFrom("import", args.folder, args),
});
