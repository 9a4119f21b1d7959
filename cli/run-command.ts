/** Finds and runs a command. Commands are loaded lazily, so that help loads none of them. */
import { type ArgsDef, runCommand } from "citty";
import { resumeSending } from "./agents/spool/start-sender.ts";
import { fail, UsageError } from "./command.ts";
import { root } from "./commands.ts";
import { findCommand, requireKnownArguments, unknownCommand } from "./help/find-command.ts";
import { helpText } from "./help/usage.ts";
import { versionLine } from "./help/version.ts";
import { writeOutput } from "./output/terminal.ts";

/** Runs the command that the words name; an error is one line and an exit code. */
export const runWords = (words: string[]): Promise<void> => run(words).catch(fail);

async function run(words: string[]): Promise<void> {
  if (words[0] === "--version" || words[0] === "-v") return void writeOutput(`${versionLine}\n`);
  const found = await findCommand(words);
  const { command, call, rest } = found;
  // What follows `--` belongs to the command that `svc run` starts.
  const dashes = rest.indexOf("--");
  const own = dashes < 0 ? rest : rest.slice(0, dashes);
  const wantsHelp = own.some((word) => word === "--help" || word === "-h");
  if (wantsHelp || (command === root && words.length === 0)) return void writeOutput(`${helpText(found)}\n`);
  const { subCommands, ...alone } = command;
  if (subCommands && !command.run) throw unknownCommand(found);
  requireKnownArguments(command.args as ArgsDef, rest, call);
  resumeSending();
  await runCommand(alone, { rawArgs: rest }).catch((error: Error) => {
    // A missing argument: citty names it, but not where to read on.
    throw error.name === "CLIError" ? new UsageError(`${error.message}. See ${call} --help.`) : error;
  });
}
