/** Finds the command that the words of a command line name. */
import { editDistance, editsMax, isLikelyTypo } from "../../src/core/text/typo-candidates.ts";
import { UsageError } from "../command-errors.ts";
import { type Command, commands, root } from "../commands.ts";

export interface FoundCommand {
  command: Command;
  /** The words that name it: `svc token create`. */
  call: string;
  description: string;
  /** The words after it. */
  rest: string[];
}

/**
 * Finds the command that the first one or two words name; the root command if the first is none.
 * @param load loads a command of the table: `loadCommand` to run it, `definitionOf` for its help
 */
export async function findCommand(
  [name = "", ...rest]: string[],
  load: (name: string) => Promise<Command>,
): Promise<FoundCommand> {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!entry)
    return {
      command: root,
      call: "svc",
      description: (root.meta as { description: string }).description,
      rest: name ? [name, ...rest] : [],
    };
  const [description] = entry;
  const command = await load(name);
  const inner = (command.subCommands ?? {}) as Record<string, Command>;
  const [word = ""] = rest;
  const subcommand = Object.hasOwn(inner, word) ? inner[word] : undefined;
  if (!subcommand) return { command, call: `svc ${name}`, description, rest };
  const { description: own = "" } = (subcommand.meta ?? {}) as { description?: string };
  return { command: subcommand, call: `svc ${name} ${word}`, description: own, rest: rest.slice(1) };
}

/** More names than this are easier to find in the help. */
const namesMax = 12;

/** The error for a missing or mistyped command, with the closest name or the list of all. */
export function unknownCommand({ command, call, rest }: FoundCommand): UsageError {
  const names = Object.keys((command.subCommands ?? {}) as object);
  const choices = names.length <= namesMax ? `Choose one of ${names.join(", ")}. ` : "";
  const all = `${choices}See ${call} --help.`;
  const typed = rest.find((word) => !word.startsWith("-"));
  if (typed === undefined) return new UsageError(`Missing command. ${all}`);
  const path = call.replace(/^svc ?/, "");
  const full = (name: string) => [path, name].filter(Boolean).join(" ");
  if (names.length === 0) return new UsageError(`Unknown command "${full(typed)}". See ${call} --help.`);
  const closest = closestName(typed, names);
  return new UsageError(
    `Unknown command "${full(typed)}". ${closest ? `Did you mean "${full(closest)}"?` : all}`,
  );
}

/** The name that was probably meant; undefined if none is close. */
export function closestName(typed: string, names: string[]): string | undefined {
  const edits = (name: string) => editDistance(typed, name, editsMax);
  const [closest] = names
    .filter((name) => isLikelyTypo(typed, name, edits(name)))
    .toSorted((a, b) => edits(a) - edits(b));
  return closest;
}
