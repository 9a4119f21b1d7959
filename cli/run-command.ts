/**
 * Finds and runs a command. Commands are loaded lazily: help loads none of them, and neither what parses
 * arguments.
 */
import type { ArgsDef } from "citty";
import { fail, UsageError } from "./command-errors.ts";
import { commands } from "./commands.ts";
import { findCommand, unknownCommand } from "./help/find-command.ts";
import { useUsualJitSoon } from "./usual-jit.ts";

/** Runs the command that the words name; an error is one line and an exit code. */
export const runWords = (words: string[]): Promise<void> => run(words).catch(fail);

async function run(words: string[]): Promise<void> {
  // What follows `--` belongs to the command that `svc run` starts.
  const dashes = words.indexOf("--");
  const own = dashes < 0 ? words : words.slice(0, dashes);
  if (words.length === 0 || own.some((word) => word === "--help" || word === "-h"))
    return (await import("./help/print-help.ts")).printHelp(words);
  const found = await findCommand(words, loadCommand);
  const { command, call, rest } = found;
  const { subCommands, ...alone } = command;
  if (subCommands && !command.run) throw unknownCommand(found);
  const { requireKnownArguments } = await import("./help/known-arguments.ts");
  requireKnownArguments(command.args as ArgsDef, rest, call);
  useUsualJitSoon();
  const [{ resumeSending }, { runCommand }] = await Promise.all([
    import("./agents/spool/start-sender.ts"),
    import("citty"),
  ]);
  resumeSending();
  await runCommand(alone, { rawArgs: rest }).catch((error: Error) => {
    // A missing argument: citty names it, but not where to read on.
    throw error.name === "CLIError" ? new UsageError(`${error.message}. See ${call} --help.`) : error;
  });
}

const loadCommand = async (name: string) =>
  (await (commands[name] as (typeof commands)[string])[1]()).default;
