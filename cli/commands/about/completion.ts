/** `svc completion`: a script that completes commands and flags in a shell. */
import { defineCommand } from "citty";
import { printLine } from "../../command.ts";
import { UsageError } from "../../command-errors.ts";
import { completionNodes, completionScript, type Shell, shells } from "../../help/completion-scripts.ts";

export default defineCommand({
  args: { shell: { type: "positional", required: true, description: shells.join(", ") } },
  async run({ args }) {
    if (!Object.hasOwn(completionScript, args.shell))
      throw new UsageError(`The shell must be one of ${shells.join(", ")}.`);
    await printLine(completionScript[args.shell as Shell](await completionNodes()));
  },
});
