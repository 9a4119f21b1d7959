/** svc completion: what each shell offers. A shell that this machine lacks is skipped. */
import { describe, expect, test } from "bun:test";
import { commands } from "../../cli/commands.ts";
import { completionNodes, completionScript, type Shell, shells } from "../../cli/help/completion-scripts.ts";
import { definitionOf } from "../../cli/help/definitions.ts";
import { findCommand } from "../../cli/help/find-command.ts";
import { helpText } from "../../cli/help/usage.ts";
import { runProgram } from "../support/harness.ts";

const nodes = await completionNodes();
const script = (shell: Shell) => completionScript[shell](nodes);

/** Runs a script in a shell. @returns its output */
function runShell(shell: string, text: string): string {
  const { stdout, stderr } = Bun.spawnSync([shell, ...(shell === "bash" ? ["--norc"] : []), "-c", text]);
  expect(stderr.toString()).toBe("");
  return stdout.toString().trim();
}

describe.skipIf(!Bun.which("bash"))("bash completes", () => {
  const complete = (...words: string[]) =>
    runShell(
      "bash",
      `${script("bash")}
COMP_WORDS=(svc ${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}
_svc; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ).split("\n");

  test.each([
    [["as"], ["asset"]],
    [
      ["asset", ""],
      [
        ...["push", "list", "show", "request-review", "review", "annotations", "annotate"],
        ...["review-set", "wait", "remove-metadata", "publish", "unpublish", "delete"],
      ],
    ],
    [
      ["asset", "p"],
      ["push", "publish"],
    ],
    [["asset", "push", "--rep"], ["--replaces"]],
    [["token", "create", "--sc"], ["--scopes"]],
    [["feed", "--fol"], ["--follow"]],
    [["backup", "x.tar", "--no"], ["--no-bytes"]],
    [["completion", "--h"], ["--help"]],
    [["--ver"], ["--version"]],
  ])("svc %p to %p", (words, expected) => {
    expect(complete(...words)).toEqual(expected);
  });

  test("files after a command without subcommands", () => {
    expect(complete("asset", "push", "")).toEqual([""]);
    expect(script("bash")).toContain("complete -o default -F _svc svc");
  });
});

test.skipIf(!Bun.which("zsh"))("zsh understands its script", () => {
  runShell("zsh", `autoload -U compinit && compinit -u -D\n${script("zsh")}`);
});

test.skipIf(!Bun.which("fish"))("fish completes subcommands and flags", () => {
  const complete = (line: string) => runShell("fish", `${script("fish")}\ncomplete -C "${line}"`);
  expect(complete("svc asset pu")).toContain("push\tUpload files");
  expect(complete("svc asset push --rep")).toContain("--replaces\t");
});

test.each([...shells])("the script for %s has every command, subcommand and flag", (shell) => {
  const text = script(shell);
  for (const name of Object.keys(commands)) expect(text).toContain(name);
  for (const { commands, flags } of nodes) {
    for (const { name } of commands) expect(text).toContain(name);
    for (const { name } of flags) expect(text).toContain(shell === "fish" ? `-l ${name}` : `--${name}`);
  }
});

test.skipIf(!process.env.SVC_TEST_BINARY)(
  "the executable holds the definitions of all commands as they are in their modules",
  async () => {
    const completion = runProgram(["completion", "bash"]);
    expect([await completion.ended, completion.output().trim()]).toEqual([0, script("bash")]);
    const help = runProgram(["asset", "push", "--help"]);
    expect([await help.ended, help.output().trim()]).toEqual([
      0,
      await helpText(await findCommand(["asset", "push"], definitionOf)),
    ]);
  },
);
