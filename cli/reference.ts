/**
 * The reference of the command line in Markdown, generated from the command definitions.
 */
import type { ArgsDef } from "citty";
import { type Command, commands } from "./commands.ts";
import { definitionOf } from "./help/definitions.ts";
import { callOf, isOnByDefault } from "./help/usage.ts";

/** The reference of all commands, as Markdown. */
export async function commandReference(): Promise<string> {
  const sections = await Promise.all(
    Object.entries(commands).map(async ([name, [description]]) =>
      section(`svc ${name}`, description, await definitionOf(name)),
    ),
  );
  return sections.flat().join("\n\n");
}

function section(call: string, description: string, { args, subCommands }: Command): string[] {
  const inner = Object.entries((subCommands ?? {}) as Record<string, Command>);
  const sentence = `${description}.`.replace(/\.\.$/, ".");
  if (inner.length === 0)
    return [
      `${"#".repeat(call.split(" ").length)} ${call}`,
      sentence,
      ...usage(call, (args ?? {}) as ArgsDef),
    ];
  const parts = inner.flatMap(([name, command]) =>
    section(`${call} ${name}`, (command.meta as { description?: string }).description ?? "", command),
  );
  return [`## ${call}`, sentence, ...parts];
}

function usage(call: string, args: ArgsDef): string[] {
  const all = Object.entries(args);
  const positionals = all.filter(([, arg]) => arg.type === "positional");
  const flags = all.filter(([, arg]) => arg.type !== "positional");
  const rows = [
    ...positionals.map(([name, arg]) => row(`<${name}>`, arg)),
    ...flags.map(([name, arg]) =>
      isOnByDefault(arg)
        ? row(`--no-${name}`, { description: arg.negativeDescription ?? "" })
        : row(`${"alias" in arg && arg.alias ? `-${arg.alias}, ` : ""}--${name}`, arg),
    ),
  ];
  const table = rows.length > 0 ? [["| argument | meaning |", "|---|---|", ...rows].join("\n")] : [];
  return [`\`\`\`text\n${callOf(call, args)}\n\`\`\``, ...table];
}

function row(name: string, arg: ArgsDef[string]): string {
  const value = arg.default === undefined || arg.default === false ? "" : ` Default: \`${arg.default}\`.`;
  const meaning = inCell(arg.description ?? "");
  return `| \`${name}\`${arg.required && arg.type !== "positional" ? " (required)" : ""} | ${meaning}${value && `${/[.?]$/.test(meaning) ? "" : "."}${value}`} |`;
}

/** Escapes a description for a Markdown table: `|` everywhere, `<` outside code spans. */
const inCell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .split("`")
    .map((part, index) => (index % 2 ? part : part.replaceAll("<", "\\<")))
    .join("`");
