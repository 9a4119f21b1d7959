/**
 * The reference of the command line, in Markdown: made of the commands themselves, so that it can say nothing
 * else.
 */
import type { ArgsDef } from "citty";
import { type Command, commands } from "./commands.ts";

export async function commandReference(): Promise<string> {
  const sections = await Promise.all(
    Object.entries(commands).map(async ([name, [what, load]]) =>
      section(`svc ${name}`, what, (await load()).default),
    ),
  );
  return sections.flat().join("\n\n");
}

function section(call: string, what: string, { args, subCommands }: Command): string[] {
  const inner = Object.entries((subCommands ?? {}) as Record<string, Command>);
  const said = `${what}.`.replace(/\.\.$/, ".");
  if (inner.length === 0)
    return [`${"#".repeat(call.split(" ").length)} ${call}`, said, ...usage(call, (args ?? {}) as ArgsDef)];
  const parts = inner.flatMap(([name, one]) =>
    section(`${call} ${name}`, (one.meta as { description?: string }).description ?? "", one),
  );
  return [`## ${call}`, said, ...parts];
}

function usage(call: string, args: ArgsDef): string[] {
  const all = Object.entries(args);
  const places = all.filter(([, arg]) => arg.type === "positional");
  const flags = all.filter(([, arg]) => arg.type !== "positional");
  const words = [
    ...places.map(([name, arg]) =>
      arg.required === false ? `[${name}]` : `<${name}>${arg.valueHint === "…" ? "…" : ""}`,
    ),
    ...flags.filter(([, arg]) => arg.required).map(([name]) => `--${name} <${name}>`),
    ...(flags.some(([, arg]) => !arg.required) ? ["[flags]"] : []),
  ];
  const rows = [
    ...places.map(([name, arg]) => row(`<${name}>`, arg)),
    ...flags.map(([name, arg]) =>
      isOnByDefault(arg)
        ? row(`--no-${name}`, { description: arg.negativeDescription ?? "" })
        : row(`${"alias" in arg && arg.alias ? `-${arg.alias}, ` : ""}--${name}`, arg),
    ),
  ];
  const table = rows.length > 0 ? [["| argument | meaning |", "|---|---|", ...rows].join("\n")] : [];
  return [`\`\`\`text\n${[call, ...words].join(" ")}\n\`\`\``, ...table];
}

/** Such a flag is only ever given to turn it off. */
const isOnByDefault = (arg: ArgsDef[string]): arg is ArgsDef[string] & { negativeDescription?: string } =>
  arg.type === "boolean" && arg.default === true;

function row(name: string, arg: ArgsDef[string]): string {
  const value = arg.default === undefined || arg.default === false ? "" : ` Default: \`${arg.default}\`.`;
  const meaning = inCell(arg.description ?? "");
  return `| \`${name}\`${arg.required && arg.type !== "positional" ? " (required)" : ""} | ${meaning}${value && `${/[.?]$/.test(meaning) ? "" : "."}${value}`} |`;
}

/** Of a description, in a table: what would end a cell or begin a tag is escaped, where it is no code. */
const inCell = (text: string): string =>
  text
    .replaceAll("|", "\\|")
    .split("`")
    .map((part, index) => (index % 2 ? part : part.replaceAll("<", "\\<")))
    .join("`");
