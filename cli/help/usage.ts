/** The help of a command, wrapped to the width of the terminal. */

import type { ArgsDef } from "citty";
import { type Command, commandGroups, commands, firstWeek, root } from "../commands.ts";
import { wrap } from "../output/table.ts";
import { outputColumns } from "../output/terminal.ts";
import type { FoundCommand } from "./find-command.ts";

const widthMax = 100;
const indent = "  ";

export interface UsageOptions {
  /** The words of the command: `svc token create`. */
  call: string;
  description: string;
  /** Columns of the terminal. */
  width: number;
  /** Paints a title. */
  heading(text: string): string;
  /** Titles of groups of subcommands, with their names; without it, they are one list. */
  groups?: Record<string, readonly string[]>;
  /** Lines before the last one. */
  more?: readonly string[];
}

/** Renders the help of a command: how to call it, its subcommands, arguments and flags. */
export function renderHelp(command: Command, options: UsageOptions): string {
  const width = Math.min(options.width, widthMax);
  const { heading } = options;
  const section = (title: string, rows: [string, string][]): string[] =>
    rows.length > 0 ? [heading(title), definitions(rows, width), ""] : [];
  const args = Object.entries((command.args ?? {}) as ArgsDef);
  const inner = Object.entries((command.subCommands ?? {}) as Record<string, Command>);
  const isGroup = inner.length > 0 && !command.run;
  const call = isGroup ? `${options.call} <command>` : callOf(options.call, command.args as ArgsDef);
  return [
    ...wrap(sentence(options.description), width),
    "",
    heading("USAGE"),
    ...wrap(call, width - indent.length).map((line) => indent + line),
    "",
    ...Object.entries(options.groups ?? { commands: inner.map(([name]) => name) }).flatMap(([title, names]) =>
      section(
        title.toUpperCase(),
        inner.filter(([name]) => names.includes(name)).map(([name, { meta }]) => [name, descriptionOf(meta)]),
      ),
    ),
    ...section(
      "ARGUMENTS",
      args.filter(isPositional).map(([name, arg]) => [`<${name}>`, meaningOf(arg)]),
    ),
    ...section(
      "FLAGS",
      args.filter((arg) => !isPositional(arg)).map(([name, arg]) => [flagOf(name, arg), meaningOf(arg)]),
    ),
    ...(options.more ?? []),
    ...wrap(
      inner.length > 0 ? `Help of a command: ${options.call.replace(/^svc/, "svc help")} <command>` : "",
      width,
    ),
  ]
    .join("\n")
    .trimEnd();
}

/** The words of a call: `svc token create <name> --scopes <scopes> [flags]`. */
export function callOf(call: string, args: ArgsDef = {}): string {
  const all = Object.entries(args);
  const flags = all.filter((arg) => !isPositional(arg));
  return [
    call,
    ...all
      .filter(isPositional)
      .map(([name, arg]) =>
        arg.required === false ? `[${name}]` : `<${name}>${arg.valueHint === "…" ? "…" : ""}`,
      ),
    ...flags.filter(([, arg]) => arg.required).map(([name]) => `--${name} <${name}>`),
    ...(flags.some(([, arg]) => !arg.required) ? ["[flags]"] : []),
  ].join(" ");
}

type Arg = [string, ArgsDef[string]];
const isPositional = ([, arg]: Arg): boolean => arg.type === "positional";
const descriptionOf = (meta: unknown): string =>
  (meta as { description?: string } | undefined)?.description ?? "";
const sentence = (text: string): string => `${text}.`.replace(/\.\.$/, ".");

/** True for a flag that is listed in its negative form only, such as `--no-bytes`. */
export const isOnByDefault = (
  arg: ArgsDef[string],
): arg is ArgsDef[string] & { negativeDescription?: string } =>
  arg.type === "boolean" && arg.default === true;

function flagOf(name: string, arg: ArgsDef[string]): string {
  if (isOnByDefault(arg)) return `--no-${name}`;
  const alias = "alias" in arg && arg.alias ? `-${arg.alias}, ` : "";
  const value = (arg.type as string) === "boolean" ? "" : ` <${arg.valueHint ?? name}>`;
  return `${alias}--${name}${value}`;
}

const meaningOf = (arg: ArgsDef[string]): string =>
  `${(isOnByDefault(arg) ? arg.negativeDescription : arg.description) ?? ""}` +
  `${arg.required && arg.type !== "positional" ? " (required)" : ""}`;

/** Names with their meanings: in two columns, or below each other where the terminal is narrow. */
function definitions(rows: [string, string][], width: number): string {
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const room = width - indent.length - nameWidth - 2;
  if (room < 30)
    return rows
      .flatMap(([name, meaning]) => [
        indent + name,
        ...wrap(meaning, width - 6).map((line) => `      ${line}`),
      ])
      .join("\n");
  return rows
    .flatMap(([name, meaning]) =>
      (wrap(meaning, room).length > 0 ? wrap(meaning, room) : [""]).map((line, index) =>
        `${indent}${(index === 0 ? name : "").padEnd(nameWidth)}  ${line}`.trimEnd(),
      ),
    )
    .join("\n");
}

/** Where the output is not a terminal. */
const defaultWidth = 80;

const allGroups = Object.fromEntries(
  Object.entries(commandGroups).map(([title, entries]) => [title, Object.keys(entries)]),
);
const firstWeekHelp = {
  groups: firstWeek,
  more: [`All ${Object.keys(commands).length} commands: svc help all`],
};

/** The help of a command. @param isWhole lists all commands, not only those of a first week */
export async function helpText(
  { command, call, description }: FoundCommand,
  isWhole = false,
): Promise<string> {
  const columns = outputColumns();
  const isColored = columns !== null && !process.env.NO_COLOR;
  return renderHelp(command, {
    call,
    description,
    width: columns ?? defaultWidth,
    ...(command === root && (isWhole ? { groups: allGroups } : firstWeekHelp)),
    heading: isColored ? (await import("../output/styles.ts")).styles.bold : (text) => text,
  });
}
