/** The help of a command for the terminal that shows it. */
import { commandGroups, root } from "../commands.ts";
import type { FoundCommand } from "./find-command.ts";
import { renderHelp } from "./usage.ts";

/** Where the output is not a terminal. */
const defaultWidth = 80;

const groups = Object.fromEntries(
  Object.entries(commandGroups).map(([title, entries]) => [title, Object.keys(entries)]),
);

/** The help of a command. */
export const helpText = ({ command, call, description }: FoundCommand): string =>
  renderHelp(command, {
    call,
    description,
    width: (process.stdout.isTTY && process.stdout.columns) || defaultWidth,
    ...(command === root && { groups }),
    isColored: Boolean(process.stdout.isTTY) && !process.env.NO_COLOR,
  });
