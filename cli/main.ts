#!/usr/bin/env bun
/**
 * The program: how a call finds its command. A command is loaded when it is called, so that help loads none.
 */
import { parseArgs } from "node:util";
import { type ArgsDef, renderUsage, runCommand } from "citty";
import { commit, version } from "../src/version.ts";
import { fail, UsageError } from "./command.ts";
import { type Command, commands, root } from "./commands.ts";

await main(process.argv.slice(2)).catch(fail);

async function main(words: string[]): Promise<void> {
  // of the server to itself, so nobody is told
  if (words[0] === "probe") return (await import("./probe.ts")).runProbe();
  if (words[0] === "--version" || words[0] === "-v")
    return void process.stdout.write(`${version} (${commit})\n`);
  const { command, parent, rest } = await find(words);
  const wantsHelp = rest.some((word) => word === "--help" || word === "-h");
  if (wantsHelp || (command === root && words.length === 0))
    return void process.stdout.write(await usage(command, parent));
  if (command.subCommands) {
    const said = rest.find((word) => !word.startsWith("-"));
    throw new UsageError(
      `${said === undefined ? "which" : `'${said}' is no`} command? One of ${Object.keys(command.subCommands).join(", ")}; see --help`,
    );
  }
  requireKnown(command.args as ArgsDef, rest);
  await runCommand(command, { rawArgs: rest });
}

/** The command that the first words name, at most two deep, and the words behind them. */
async function find([name = "", ...rest]: string[]): Promise<{
  command: Command;
  parent?: Command;
  rest: string[];
}> {
  const found = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!found) return { command: root, rest: name ? [name, ...rest] : [] };
  const [what, load] = found;
  const command = { ...(await load()).default, meta: { name, description: what } };
  const inner = (command.subCommands as Record<string, Command> | undefined)?.[rest[0] ?? ""];
  return inner
    ? { command: inner, parent: { meta: { name: `svc ${name}` } }, rest: rest.slice(1) }
    : { command, parent: { meta: { name: "svc" } }, rest };
}

async function usage(command: Command, parent?: Command): Promise<string> {
  const text = `${await renderUsage(command, parent)}\n`;
  return process.stdout.isTTY && !process.env.NO_COLOR ? text : Bun.stripANSI(text);
}

/** citty passes over flags and words it does not know; a mistyped one must not be lost in silence. */
function requireKnown(args: ArgsDef = {}, words: string[]): void {
  const flags = Object.entries(args).filter(([, arg]) => arg.type !== "positional");
  const places = Object.keys(args).length - flags.length;
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
    throw new UsageError(`${(error as Error).message.split(/[.\n]/, 1)[0]}; see --help`);
  }
  if (positionals.length > places && !Object.hasOwn(args, "file"))
    throw new UsageError(`'${positionals[places]}' is one word too many; see --help`);
}
