/** Rejects unknown flags and extra arguments, which citty silently ignores. */
import { parseArgs } from "node:util";
import type { ArgsDef } from "citty";
import { UsageError } from "../command.ts";
import { closestName } from "./suggest.ts";

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

type Options = NonNullable<Parameters<typeof parseArgs>[0]>["options"];

function parse(words: string[], options: NonNullable<Options>, call: string): string[] {
  try {
    return parseArgs({ args: words, options, allowPositionals: true, allowNegative: true, strict: true })
      .positionals;
  } catch (error) {
    const reason = (error as Error).message.split(/[.\n]/, 1)[0] as string;
    const [, typed] = /^Unknown option '--?([^']+)'/.exec(reason) ?? [];
    const closest = typed && closestName(typed, Object.keys(options));
    throw new UsageError(`${reason}. ${closest ? `Did you mean --${closest}?` : `See ${call} --help.`}`);
  }
}
