/** `svc backup`: a consistent snapshot of rows and files, as a tar file on disk or in a bucket. */
import { defineCommand } from "citty";
import { writeTar } from "../../../src/api/backup/targets.ts";
import { dataDirFlag } from "../../command.ts";
import { open } from "../../open.ts";
import { outputFlags, reportChange } from "../../output/report.ts";
import { bytesFlag, writeBackup } from "./backup-commands.ts";

export default defineCommand({
  args: {
    target: { type: "positional", required: true, description: "New file, or s3://bucket/name.tar" },
    ...bytesFlag,
    ...outputFlags,
    ...dataDirFlag,
  },
  async run({ args }) {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const { size, sha256 } = await writeBackup("Backing up", ctx, args, (entries) =>
      writeTar(args.target, entries, ctx.config.s3),
    );
    await ctx.close();
    const line = `Backed up to ${args.target}: ${size} bytes, SHA-256 ${sha256}.`;
    await reportChange(args, { target: args.target, size, sha256 }, line);
  },
});
