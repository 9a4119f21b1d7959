/** `svc restore`: back from a backup, of whichever database and store. */
import { defineCommand } from "citty";
import { bytesFlag, forceFlag, takeOverFlag, unpacking } from "./backup-commands.ts";
import { dataDirFlag, run } from "./command.ts";

export default defineCommand({
  args: {
    place: { type: "positional", required: true, description: "A file, s3://bucket/name.tar, or a folder" },
    ...forceFlag,
    ...bytesFlag,
    ...takeOverFlag,
    ...dataDirFlag,
  },
  run: run(({ args }) => unpacking("restore", args.place, args)),
});
