/** Whether a shell command line runs what a decision forbids. `svc hook` imports this: only small files. */
import { loadPatterns } from "../../src/memory/checks/re2.ts";
import type { CheckInForce } from "../../src/memory/checks/schema.ts";
import { mayHave, searchable } from "./judge.ts";
import { simpleCommands } from "./shell-commands.ts";

/** The first check of kind `command` that forbids a command of the line; null if none does. */
export async function forbiddenCommand(
  checks: readonly CheckInForce[],
  line: string,
): Promise<CheckInForce | null> {
  const ofCommands = checks.filter(({ rule }) => rule.kind === "command");
  if (ofCommands.length === 0) return null;
  const commands = simpleCommands(line);
  const byWords = ofCommands.find(
    ({ rule: { text } }) => text !== undefined && commands.some((words) => begins(words, text)),
  );
  if (byWords) return byWords;
  const texts = commands.map((words) => words.join(" "));
  const all = searchable(texts.join("\n"));
  const withPattern = ofCommands.filter(({ rule }) => rule.pattern !== undefined && mayHave(rule, all));
  if (withPattern.length === 0) return null;
  const compile = await loadPatterns();
  return (
    withPattern.find(({ rule: { pattern = "" } }) => {
      try {
        const compiled = compile(pattern);
        return texts.some((text) => compiled.isAtStartOf(text));
      } catch {
        return false; // a pattern that a later version of svc may know
      }
    }) ?? null
  );
}

/**
 * Whether a command begins with the words: `npm publish` is also `npm --silent publish`, and not
 * `npm run publish`. Options among the words have to be there, in any place.
 */
function begins(words: readonly string[], text: string): boolean {
  const [options, plain] = parted(text.trim().split(/\s+/));
  const [given, own] = parted(words);
  return plain.every((word, at) => own[at] === word) && options.every((option) => given.includes(option));
}

function parted(words: readonly string[]): [options: string[], plain: string[]] {
  const isOption = (word: string) => word.startsWith("-");
  return [words.filter(isOption), words.filter((word) => !isOption(word))];
}
