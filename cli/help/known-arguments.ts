/** Checks the flags and arguments of a command that runs; help does not load this, nor `node:util`. */
import { parseArgs } from "node:util";
import type { ArgsDef } from "citty";
import { UsageError } from "../command-errors.ts";
import { closestName } from "./find-command.ts";

/** @throws UsageError with the closest flag for an unknown one */
export function requireKnownArguments(args: ArgsDef = {}, words: string[], call: string): void {
  const flags = Object.entries(args).filter(([, arg]) => arg.type !== "positional");
  const positionals = Object.values(args).filter((arg) => arg.type === "positional");
  const options = flags.map(([name, arg]) => {
    const short = "alias" in arg && typeof arg.alias === "string" ? { short: arg.alias } : {};
    const type = arg.type === "boolean" ? ("boolean" as const) : ("string" as const);
    return [name, { type, ...short }] as const;
  });
  const given = parse(words, Object.fromEntries(options), call);
  const takesMany = positionals.some((arg) => arg.valueHint === "…");
  if (given.length > positionals.length && !takesMany)
    throw new UsageError(`Unexpected argument "${given[positionals.length]}". See ${call} --help.`);
}

/** Commands that print a secret: one on its way from a server would be shown to more than its owner. */
const secretCommands = new Set(["svc token create", "svc token rotate"]);

const localReason = (call: string): string =>
  secretCommands.has(call) ? "prints a secret of the database" : "works on the database itself";

type Options = NonNullable<Parameters<typeof parseArgs>[0]>["options"];

function parse(words: string[], options: NonNullable<Options>, call: string): string[] {
  try {
    return parseArgs({ args: words, options, allowPositionals: true, allowNegative: true, strict: true })
      .positionals;
  } catch (error) {
    if (!("server" in options) && "data-dir" in options && words.some((word) => /^--server(=|$)/.test(word)))
      throw new UsageError(`${call} ${localReason(call)}, so it only runs on the machine that holds it.`);
    const reason = (error as Error).message.split(/[.\n]/, 1)[0] as string;
    const [, typed] = /^Unknown option '--?([^']+)'/.exec(reason) ?? [];
    const closest = typed && closestName(typed, Object.keys(options));
    throw new UsageError(`${reason}. ${closest ? `Did you mean --${closest}?` : `See ${call} --help.`}`);
  }
}
