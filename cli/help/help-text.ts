/** The help of a command for the terminal that shows it. */
import type { FoundCommand } from "./find-command.ts";
import { renderHelp } from "./usage.ts";

/** Where the output is not a terminal. */
const defaultWidth = 80;

/** The help of a command. */
export const helpText = ({ command, call, description }: FoundCommand): string =>
  renderHelp(command, {
    call,
    description,
    width: (process.stdout.isTTY && process.stdout.columns) || defaultWidth,
    isColored: Boolean(process.stdout.isTTY) && !process.env.NO_COLOR,
  });
