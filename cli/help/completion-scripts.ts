/**
 * Completion scripts. A script holds every command and flag, so that completing starts no process. Where a
 * command takes no more words, the shell completes files.
 */
import type { ArgsDef } from "citty";
import { type Command, commands } from "../commands.ts";
import { definitionOf } from "./definitions.ts";
import { isOnByDefault } from "./usage.ts";

export const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

export const completionScript: Record<Shell, (nodes: CompletionNode[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
};

const named = (nodes: CompletionNode[]): CompletionNode[] => nodes.filter(({ path }) => path.length > 0);
const rootOf = (nodes: CompletionNode[]): CompletionNode =>
  nodes.find(({ path }) => path.length === 0) as CompletionNode;
/** The longest paths first, so that `asset push` is matched before `asset`. */
const bySpecificity = (nodes: CompletionNode[]): CompletionNode[] =>
  named(nodes).toSorted((a, b) => b.path.length - a.path.length);

const commandWords = ({ commands }: CompletionNode): string => commands.map(({ name }) => name).join(" ");
const flagWords = ({ flags }: CompletionNode): string =>
  flags.flatMap(({ name, alias }) => [`--${name}`, ...(alias ? [`-${alias}`] : [])]).join(" ");

function bashScript(nodes: CompletionNode[]): string {
  const assign = (node: CompletionNode) => `words="${commandWords(node)}" flags="${flagWords(node)}" ;;`;
  return `# bash completion of svc. Load it with: source <(svc completion bash)
_svc() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" words flags
  if ((COMP_CWORD > 1)); then path="\${COMP_WORDS[1]} "; fi
  if ((COMP_CWORD > 2)); then path+="\${COMP_WORDS[2]} "; fi
  case "$path" in
${bySpecificity(nodes)
  .map((node) => `    "${node.path.join(" ")} "*) ${assign(node)}`)
  .join("\n")}
    *) ${assign(rootOf(nodes))}
  esac
  if [[ "$cur" == -* ]]; then words="$flags"; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _svc svc`;
}

/** A single-quoted word of bash, zsh and fish; quotes are left out, as the texts need none. */
const quote = (text: string): string => `'${text.replaceAll("'", "’")}'`;

function zshScript(nodes: CompletionNode[]): string {
  const item = (name: string, description: string) =>
    quote(`${name.replaceAll(":", "\\:")}:${description.replaceAll(":", "\\:")}`);
  const body = ({ commands, flags }: CompletionNode): string =>
    [
      `commands=(${commands.map(({ name, description }) => item(name, description)).join(" ")})`,
      `flags=(${flags.map(({ name, description }) => item(`--${name}`, description)).join(" ")})`,
    ].join("; ");
  return `#compdef svc
# zsh completion of svc. Load it with: source <(svc completion zsh)
_svc() {
  local -a commands flags
  local where=""
  (( CURRENT > 2 )) && where="\${words[2]} "
  (( CURRENT > 3 )) && where="\${words[2]} \${words[3]} "
  case "$where" in
${bySpecificity(nodes)
  .map((node) => `    "${node.path.join(" ")} "*) ${body(node)} ;;`)
  .join("\n")}
    *) ${body(rootOf(nodes))} ;;
  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe -o 'flag' flags
  elif (( \${#commands} )); then
    _describe 'command' commands
  else
    _files
  fi
}
if [[ "$funcstack[1]" == "_svc" ]]; then _svc "$@"; else compdef _svc svc; fi`;
}

function fishScript(nodes: CompletionNode[]): string {
  const lines = nodes.flatMap(({ path, commands, flags }) => {
    const conditions = path.map((word) => `__fish_seen_subcommand_from ${word}`);
    const names = commandWords({ path, commands, flags });
    const open =
      path.length === 0
        ? "__fish_use_subcommand"
        : [...conditions, ...(names ? [`not __fish_seen_subcommand_from ${names}`] : [])].join("; and ");
    return [
      ...commands.map(
        ({ name, description }) => `complete -c svc -n ${quote(open)} -f -a ${name} -d ${quote(description)}`,
      ),
      ...flags.map(
        ({ name, alias, description, takesValue }) =>
          `complete -c svc -n ${quote(open)} -l ${name}${alias ? ` -s ${alias}` : ""}` +
          `${takesValue ? " -r" : ""} -d ${quote(description)}`,
      ),
    ];
  });
  return `# fish completion of svc. Load it with: svc completion fish | source\n${lines.join("\n")}`;
}

function powershellScript(nodes: CompletionNode[]): string {
  const entries = nodes.map(({ path, commands, flags }) => {
    const words = [
      ...commands.map(({ name, description }) => [name, description]),
      ...flags.map(({ name, description }) => [`--${name}`, description]),
    ].map(([name = "", description = ""]) => `@(${quote(name)}, ${quote(description || name)})`);
    return `    ${quote(path.join(" "))} = @(${words.map((word) => `,${word}`).join("; ")})`;
  });
  return `# PowerShell completion of svc. Load it with:
# svc completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName svc -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $known = @{
${entries.join("\n")}
  }
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -and $typed.Count -gt 0) { $typed = @($typed | Select-Object -SkipLast 1) }
  $path = ($typed | Select-Object -First 2) -join ' '
  if (-not $known.ContainsKey($path)) { $path = [string]($typed | Select-Object -First 1) }
  if (-not $known.ContainsKey($path)) { $path = '' }
  $known[$path] | Where-Object { $_[0] -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterValue', $_[1])
  }
}`;
}

/** What a shell can complete, from the definitions of the commands. */
interface CompletionFlag {
  /** Without dashes. */
  name: string;
  alias?: string;
  description: string;
  takesValue: boolean;
}

interface CompletionNode {
  /** The words that name the command: `["asset", "push"]`; empty for `svc` itself. */
  path: string[];
  commands: { name: string; description: string }[];
  flags: CompletionFlag[];
}

/** Every command with its subcommands and flags, the root first. */
export async function completionNodes(): Promise<CompletionNode[]> {
  const top = Object.entries(commands).map(([name, [description]]) => ({ name, description }));
  const inner = await Promise.all(
    Object.keys(commands).map(async (name) => nodesOf([name], await definitionOf(name))),
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
