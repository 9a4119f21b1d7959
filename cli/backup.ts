/** `svc backup`: rows and bytes, as they were at one moment, in a file or a bucket. */
import { defineCommand } from "citty";
import { writeTar } from "../src/backup/targets.ts";
import { bytesFlag, packing } from "./backup-commands.ts";
import { dataDirFlag, run } from "./command.ts";
import { open } from "./open.ts";

export default defineCommand({
  args: {
    place: { type: "positional", required: true, description: "A new file, or s3://bucket/name.tar" },
    ...bytesFlag,
    ...dataDirFlag,
  },
  run: run(async ({ args }) => {
    const ctx = await open({ SVC_DATA_DIR: args["data-dir"] });
    const { size, sha256 } = await packing("Backing up", ctx, args, (entries) =>
      writeTar(args.place, entries, ctx.config.s3),
    );
    await ctx.close();
    process.stderr.write(`${args.place} has ${size} bytes, sha256 ${sha256}.\n`);
  }),
});
