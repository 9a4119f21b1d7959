/** Prints the help of a command. Commands that run do not load this. */
import { writeOutput } from "../output/terminal.ts";
import { definitionOf } from "./definitions.ts";
import { findCommand } from "./find-command.ts";
import { helpText } from "./usage.ts";

export const printHelp = async (words: string[]): Promise<void> =>
  writeOutput(`${await helpText(await findCommand(words, definitionOf))}\n`);
