/** `svc export`: the same as a backup, as NDJSON and files in a folder. */
import { defineCommand } from "citty";
import { prepareFolder, reuseExistingFiles, writeFolder } from "../src/backup/folder.ts";
import { bytesFlag, packing } from "./backup-commands.ts";
import { dataDirFlag, run } from "./command.ts";
import { open } from "./open.ts";

export default defineCommand({
  args: {
    folder: {
      type: "positional",
      required: true,
      description: "A new folder, or one that a run began that was killed",
    },
    ...bytesFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    await prepareFolder(args.folder);
    const there = (entries: Parameters<typeof reuseExistingFiles>[1]) =>
      reuseExistingFiles(args.folder, entries);
    await packing("Exporting", ctx, args, (entries) => writeFolder(args.folder, entries), there);
    await ctx.close();
    process.stderr.write(`${args.folder} holds everything; svc import takes it over.\n`);
  }),
});
