/** `svc export`: the content of a backup as a folder of NDJSON and files. */
import { defineCommand } from "citty";
import { prepareFolder, reuseExistingFiles, writeFolder } from "../../../src/api/backup/folder.ts";
import { dataDirFlag } from "../../command.ts";
import { open } from "../../open.ts";
import { outputFlags, reportChange } from "../../output/report.ts";
import { bytesFlag, writeBackup } from "./backup-commands.ts";

export default defineCommand({
  args: {
    folder: {
      type: "positional",
      required: true,
      description: "New folder, or the folder of an interrupted export, which continues",
    },
    ...bytesFlag,
    ...outputFlags,
    ...dataDirFlag,
  },
  async run({ args }) {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    await prepareFolder(args.folder);
    const withExistingFiles = (entries: Parameters<typeof reuseExistingFiles>[1]) =>
      reuseExistingFiles(args.folder, entries);
    await writeBackup(
      "Exporting",
      ctx,
      args,
      (entries) => writeFolder(args.folder, entries),
      withExistingFiles,
    );
    await ctx.close();
    const line = `Exported to ${args.folder}. To import it, run: svc import ${args.folder}`;
    await reportChange(args, { folder: args.folder }, line);
  },
});
