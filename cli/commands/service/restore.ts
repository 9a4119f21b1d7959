/** `svc restore`: restores a backup into the configured database and stores. */
import { defineCommand } from "citty";
import { dataDirFlag } from "../../command.ts";
import { outputFlags } from "../../output/report.ts";
import { bytesFlag, forceFlag, restoreFrom, takeOverFlag } from "./backup-commands.ts";

export default defineCommand({
  args: {
    backup: {
      type: "positional",
      required: true,
      description: "Backup file, s3://bucket/name.tar, or a folder written by svc export",
    },
    ...forceFlag,
    ...bytesFlag,
    ...takeOverFlag,
    ...outputFlags,
    ...dataDirFlag,
  },
  run: ({ args }) => restoreFrom("restore", args.backup, args),
});
