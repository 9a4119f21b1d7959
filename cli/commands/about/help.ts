/** `svc help`: the help of a command, as with `--help`, or the list of all commands. */
import { defineCommand } from "citty";
import { printLine } from "../../command.ts";
import { definitionOf } from "../../help/definitions.ts";
import { findCommand, unknownCommand } from "../../help/find-command.ts";
import { helpText } from "../../help/usage.ts";

export default defineCommand({
  args: {
    command: {
      type: "positional",
      required: false,
      description: "Command, such as feed, or all for a list of all",
    },
    subcommand: { type: "positional", required: false, description: "Its subcommand, such as import" },
  },
  async run({ args }) {
    const [first, ...more] = args._;
    const isAll = first === "all" && more.length === 0;
    const found = await findCommand(isAll ? [] : args._, definitionOf);
    if (found.rest.length > 0) throw unknownCommand(found);
    await printLine(await helpText(found, isAll));
  },
});
