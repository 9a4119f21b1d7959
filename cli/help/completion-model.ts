/** What a shell can complete, from the definitions of the commands. */
import type { ArgsDef } from "citty";
import { type Command, commands } from "../commands.ts";
import { isOnByDefault } from "./usage.ts";

export interface CompletionFlag {
  /** Without dashes. */
  name: string;
  alias?: string;
  description: string;
  takesValue: boolean;
}

export interface CompletionNode {
  /** The words that name the command: `["asset", "push"]`; empty for `svc` itself. */
  path: string[];
  commands: { name: string; description: string }[];
  flags: CompletionFlag[];
}

/** Every command with its subcommands and flags, the root first. */
export async function completionNodes(): Promise<CompletionNode[]> {
  const top = Object.entries(commands).map(([name, [description]]) => ({ name, description }));
  const inner = await Promise.all(
    Object.entries(commands).map(async ([name, [, load]]) => nodesOf([name], (await load()).default)),
  );
  return [{ path: [], commands: top, flags: [helpFlag, versionFlag] }, ...inner.flat()];
}

const helpFlag: CompletionFlag = { name: "help", alias: "h", description: "Show help", takesValue: false };
const versionFlag: CompletionFlag = {
  name: "version",
  alias: "v",
  description: "Show the version",
  takesValue: false,
};

function nodesOf(path: string[], { args, subCommands }: Command): CompletionNode[] {
  const inner = Object.entries((subCommands ?? {}) as Record<string, Command>);
  const commands = inner.map(([name, { meta }]) => ({
    name,
    description: (meta as { description?: string } | undefined)?.description ?? "",
  }));
  const flags = Object.entries((args ?? {}) as ArgsDef).flatMap(([name, arg]) => flagOf(name, arg));
  return [
    { path, commands, flags: [...flags, helpFlag] },
    ...inner.flatMap(([name, command]) => nodesOf([...path, name], command)),
  ];
}

function flagOf(name: string, arg: ArgsDef[string]): CompletionFlag[] {
  if (arg.type === "positional") return [];
  const isNegative = isOnByDefault(arg);
  return [
    {
      name: isNegative ? `no-${name}` : name,
      ...("alias" in arg && typeof arg.alias === "string" && { alias: arg.alias }),
      description: (isNegative ? arg.negativeDescription : arg.description) ?? "",
      takesValue: arg.type !== "boolean",
    },
  ];
}
