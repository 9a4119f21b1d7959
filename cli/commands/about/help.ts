/** `svc help`: the help of a command, as with `--help`. */
import { defineCommand } from "citty";
import { printLine, reportErrors } from "../../command.ts";
import { findCommand, unknownCommand } from "../../help/find-command.ts";
import { helpText } from "../../help/usage.ts";

export default defineCommand({
  args: {
    command: { type: "positional", required: false, description: "Command, such as feed" },
    subcommand: { type: "positional", required: false, description: "Its subcommand, such as import" },
  },
  run: reportErrors(async ({ args }) => {
    const found = await findCommand(args._);
    if (found.rest.length > 0) throw unknownCommand(found);
    await printLine(helpText(found));
  }),
});
