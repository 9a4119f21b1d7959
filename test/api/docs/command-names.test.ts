/** The calls of svc that are only named on pages, not run by a test. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { ArgsDef } from "citty";
import { definitionOf } from "../../../cli/help/definitions.ts";
import { findCommand, unknownCommand } from "../../../cli/help/find-command.ts";
import { requireKnownArguments } from "../../../cli/help/known-arguments.ts";
import { blocksOf } from "../../support/agents/docs-commands.ts";
import { repositoryRoot } from "../../support/repository.ts";

/** Words of a shell, up to an operator; what a variable or a command gives is one word. */
const word = /"[^"]*"|'[^']*'|\$\([^)]*\)|[^\s"'|&;<>()`]+/g;
const wordsOf = (text: string): string[] =>
  (text.match(word) ?? []).map((one) => one.replace(/^(["'])(.*)\1$/s, "$2"));

/** A call: where a command can begin, perhaps after variables, up to an operator or a comment. */
const call =
  /(?:^|[(;&|`]|-- )\s*(?:[A-Z_]+=\S* )*svc ((?:"[^"]*"|'[^']*'|\$\([^)]*\)|(?! #)[^"'|&;<>()`\n])+)/gm;
const callsIn = (text: string): string[][] =>
  [...text.matchAll(call)].map(([, words = ""]) => wordsOf(words));

/** What is in code: commands of blocks, and calls within a sentence or a table. */
function codeOf(page: string): string[] {
  const blocks = blocksOf(page).filter(({ language }) => ["sh", "bash"].includes(language));
  const inline = page.replace(/^```[\s\S]*?^```$/gm, "").match(/`svc [^`]+`/g) ?? [];
  return [...blocks.map(({ text }) => text.replaceAll("\\\n", " ")), ...inline];
}

async function problemOf(words: string[]): Promise<string | null> {
  const found = await findCommand(words, definitionOf);
  const { command, rest } = found;
  try {
    // `svc token` alone names the commands below it; `svc --help` has flags only.
    if (command.subCommands && !command.run) {
      if (rest.some((one) => !one.startsWith("-"))) throw unknownCommand(found);
    } else requireKnownArguments(command.args as ArgsDef, rest, found.call);
    return null;
  } catch (error) {
    const { message } = error as Error;
    // In a sentence, a flag can stand without its value.
    return message.includes("argument missing") ? null : `svc ${words.join(" ")}: ${message}`;
  }
}

test("every call of svc in the documentation names a command, with flags that it knows", async () => {
  const problems: string[] = [];
  let calls = 0;
  const files = [
    "src/api/docs/pages/*/*.md",
    "src/integrations/forges/*/page.md",
    "*.md",
    "cli/connect/**/*.md",
  ];
  for (const path of files.flatMap((glob) => [...new Bun.Glob(glob).scanSync(repositoryRoot)])) {
    const text = await Bun.file(join(repositoryRoot, path)).text();
    for (const words of codeOf(text).flatMap(callsIn)) {
      calls++;
      const problem = await problemOf(words);
      if (problem) problems.push(`${path}: ${problem}`);
    }
  }
  expect(problems).toEqual([]);
  expect(calls).toBeGreaterThan(200);
});
