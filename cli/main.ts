#!/usr/bin/env bun
/**
 * The entry point: finds and runs a command. Commands are loaded lazily, so that help loads none of them.
 */
import { type ArgsDef, runCommand } from "citty";
import { fail } from "./command.ts";
import { root } from "./commands.ts";
import { requireKnownArguments } from "./help/check-arguments.ts";
import { findCommand, unknownCommand } from "./help/find-command.ts";
import { helpText } from "./help/help-text.ts";
import { versionLine } from "./help/version.ts";

await main(process.argv.slice(2)).catch(fail);

async function main(words: string[]): Promise<void> {
  // internal: the server starts it, so help does not list it
  if (words[0] === "probe") return (await import("./probe.ts")).runProbe();
  if (words[0] === "--version" || words[0] === "-v") return void process.stdout.write(`${versionLine}\n`);
  const found = await findCommand(words);
  const { command, call, rest } = found;
  const wantsHelp = rest.some((word) => word === "--help" || word === "-h");
  if (wantsHelp || (command === root && words.length === 0))
    return void process.stdout.write(`${helpText(found)}\n`);
  if (command.subCommands) throw unknownCommand(found);
  requireKnownArguments(command.args as ArgsDef, rest, call);
  await runCommand(command, { rawArgs: rest });
}
