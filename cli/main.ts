#!/usr/bin/env bun
/** The program: its commands, and how a call finds one. A command is loaded when it is called, so that help loads none. */
import { parseArgs } from "node:util";
import { type ArgsDef, type CommandDef, renderUsage, runCommand } from "citty";
import { commit, description, version } from "../src/version.ts";
import { fail, UsageError } from "./command.ts";

// biome-ignore lint/suspicious/noExplicitAny: commands of different arguments stand in one table
type Command = CommandDef<any>;

const commands: Record<string, [what: string, load: () => Promise<{ default: Command }>]> = {
  serve: ["Apply pending migrations and serve the API and the pages", () => import("./serve.ts")],
  feed: ["Print the feed, newest last, and follow it", () => import("./feed.ts")],
  project: ["Link, list and show projects", () => import("./project.ts")],
  event: ["Append events: one, or a file of the past", () => import("./event.ts")],
  asset: ["Push, list, show, review and publish assets", () => import("./asset.ts")],
  brief: ["Compile what to know before a task", () => import("./brief.ts")],
  recall: ["Ask what is remembered", () => import("./recall.ts")],
  decide: ["Record a decision of a project", () => import("./decide.ts")],
  prefer: ["Set a preference, of a project or for all", () => import("./prefer.ts")],
  model: ["Onboard and list models", () => import("./model.ts")],
  guidance: ["Take a vendor's guidance for its model", () => import("./guidance.ts")],
  consolidate: ["Fold what happened into memory", () => import("./consolidate.ts")],
  mcp: ["Serve the tools on standard input and output", () => import("./mcp.ts")],
  doctor: ["Say what is wrong with this deployment, and how to mend it", () => import("./doctor.ts")],
  token: ["Mint, list and revoke tokens", () => import("./token.ts")],
};

const root: Command = {
  meta: { name: "svc", version: `${version} (${commit})`, description },
  // What help lists; none of them is loaded for it.
  subCommands: Object.fromEntries(Object.entries(commands).map(([name, [what]]) => [name, { meta: { name, description: what } }])),
};

await main(process.argv.slice(2)).catch(fail);

async function main(words: string[]): Promise<void> {
  if (words[0] === "probe") return (await import("./probe.ts")).runProbe(); // of the server to itself, so nobody is told
  if (words[0] === "--version" || words[0] === "-v") return void process.stdout.write(`${version} (${commit})\n`);
  const { command, parent, rest } = await find(words);
  const wantsHelp = rest.some((word) => word === "--help" || word === "-h");
  if (wantsHelp || (command === root && words.length === 0)) return void process.stdout.write(await usage(command, parent));
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
async function find([name = "", ...rest]: string[]): Promise<{ command: Command; parent?: Command; rest: string[] }> {
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
    return [name, { type: arg.type === "boolean" ? ("boolean" as const) : ("string" as const), ...short }] as const;
  });
  let positionals: string[];
  try {
    ({ positionals } = parseArgs({ args: words, options: Object.fromEntries(options), allowPositionals: true, strict: true }));
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(/[.\n]/, 1)[0]}; see --help`);
  }
  if (positionals.length > places && !Object.hasOwn(args, "file"))
    throw new UsageError(`'${positionals[places]}' is one word too many; see --help`);
}
