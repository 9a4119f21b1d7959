/** `svc import`: takes over what `svc export` wrote. Killed, it is started again. */
import { defineCommand } from "citty";
import { bytesFlag, forceFlag, takeOverFlag, unpacking } from "./backup-commands.ts";
import { dataDirFlag, run } from "./command.ts";

export default defineCommand({
  args: {
    folder: { type: "positional", required: true, description: "What svc export wrote" },
    ...forceFlag,
    ...bytesFlag,
    ...takeOverFlag,
    ...dataDirFlag,
  },
  run: run(({ args }) => unpacking("import", args.folder, args)),
});
