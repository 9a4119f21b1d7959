#!/usr/bin/env bun
/**
 * The entry point: finds and runs a command. Commands are loaded lazily, so that help loads none of them.
 */
import { parseArgs } from "node:util";
import { type ArgsDef, renderUsage, runCommand } from "citty";
import { editDistance, editsMax, isLikelyTypo } from "../src/text/typo-candidates.ts";
import { commit, version } from "../src/version.ts";
import { fail, UsageError } from "./command.ts";
import { type Command, commands, root } from "./commands.ts";

await main(process.argv.slice(2)).catch(fail);

async function main(words: string[]): Promise<void> {
  // internal: the server starts it, so help does not list it
  if (words[0] === "probe") return (await import("./probe.ts")).runProbe();
  if (words[0] === "--version" || words[0] === "-v")
    return void process.stdout.write(`${version} (${commit})\n`);
  const { command, parent, rest } = await find(words);
  const wantsHelp = rest.some((word) => word === "--help" || word === "-h");
  if (wantsHelp || (command === root && words.length === 0))
    return void process.stdout.write(await usage(command, parent));
  if (command.subCommands) {
    const name = rest.find((word) => !word.startsWith("-"));
    const path = command === root ? "" : `${words[0]} `;
    throw new UsageError(unknownCommand(path, name, Object.keys(command.subCommands)));
  }
  requireKnownArguments(command.args as ArgsDef, rest);
  await runCommand(command, { rawArgs: rest });
}

/** The error for a missing or mistyped command, with the closest name or the list of all. */
function unknownCommand(path: string, name: string | undefined, names: string[]): string {
  if (name === undefined) return `Missing command. Choose one of ${names.join(", ")}. See --help.`;
  const edits = (candidate: string) => editDistance(name, candidate, editsMax);
  const [closest] = names
    .filter((candidate) => isLikelyTypo(name, candidate, edits(candidate)))
    .toSorted((a, b) => edits(a) - edits(b));
  const hint = closest
    ? `Did you mean "${path}${closest}"?`
    : `Choose one of ${names.join(", ")}. See --help.`;
  return `Unknown command "${path}${name}". ${hint}`;
}

/** Finds the command that the first one or two words name. `rest` are the words after it. */
async function find([name = "", ...rest]: string[]): Promise<{
  command: Command;
  parent?: Command;
  rest: string[];
}> {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!entry) return { command: root, rest: name ? [name, ...rest] : [] };
  const [description, load] = entry;
  const command = { ...(await load()).default, meta: { name, description } };
  const subcommand = (command.subCommands as Record<string, Command> | undefined)?.[rest[0] ?? ""];
  return subcommand
    ? { command: subcommand, parent: { meta: { name: `svc ${name}` } }, rest: rest.slice(1) }
    : { command, parent: { meta: { name: "svc" } }, rest };
}

async function usage(command: Command, parent?: Command): Promise<string> {
  const text = `${await renderUsage(command, parent)}\n`;
  return process.stdout.isTTY && !process.env.NO_COLOR ? text : Bun.stripANSI(text);
}

/** Rejects unknown flags and extra arguments, which citty silently ignores. */
function requireKnownArguments(args: ArgsDef = {}, words: string[]): void {
  const flags = Object.entries(args).filter(([, arg]) => arg.type !== "positional");
  const positionalCount = Object.keys(args).length - flags.length;
  const options = flags.map(([name, arg]) => {
    const short = "alias" in arg && typeof arg.alias === "string" ? { short: arg.alias } : {};
    return [
      name,
      { type: arg.type === "boolean" ? ("boolean" as const) : ("string" as const), ...short },
    ] as const;
  });
  let positionals: string[];
  try {
    ({ positionals } = parseArgs({
      args: words,
      options: Object.fromEntries(options),
      allowPositionals: true,
      allowNegative: true,
      strict: true,
    }));
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(/[.\n]/, 1)[0]}. See --help.`);
  }
  if (positionals.length > positionalCount && !Object.hasOwn(args, "file"))
    throw new UsageError(`Unexpected argument "${positionals[positionalCount]}". See --help.`);
}
