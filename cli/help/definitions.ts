/**
 * What commands take, without what they do. From source that loads the module of the command; the executable
 * holds the definitions as data (cli/build/command-definitions.ts), because the modules of `svc event` alone
 * take 25 ms of CPU to load (`bun run bench help`).
 */
import { type Command, commands } from "../commands.ts";

/** The definition of a command of the table: its meta, arguments and subcommands. */
export const definitionOf = async (name: string): Promise<Command> =>
  (await (commands[name] as (typeof commands)[string])[1]()).default;
