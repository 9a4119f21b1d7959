/** A rule as a sentence for people. Of a pattern that svc wrote itself, it says what the pattern stands for. */
import { ruleText } from "../../memory/checks/rule-text.ts";
import type { CheckRule } from "../../memory/checks/schema.ts";

/** The patterns that a note proposes: see `proposeChecks`. */
const color = /^\(\?i\)#(?:\(\?:([0-9a-f]+)\|([0-9a-f]+)\)|([0-9a-f]+))\\b$/;
const word = /^\(\?:\^\|\[\^\\w-\]\)(.+)\(\?:\$\|\[\^\\w-\]\)$/;

/** What a pattern matches; null for one that a person or an agent wrote. */
function meaningOf(pattern: string): string | null {
  const [, long, short, only] = color.exec(pattern) ?? [];
  if (only) return `#${only.toUpperCase()}`;
  if (long && short) return `#${long.toUpperCase()} or #${short.toUpperCase()}`;
  const name = word.exec(pattern)?.[1]?.replace(/\\(.)/g, "$1");
  return name && !/[(|[]/.test(name) ? `the word “${name}”` : null;
}

export interface RuleWords {
  sentence: string;
  /** What programs compare with, where the sentence does not say it. */
  pattern: string | null;
}

export function wordsOfRule(rule: CheckRule): RuleWords {
  const { kind, text, pattern = null, paths, run } = rule;
  const meaning = pattern === null ? null : meaningOf(pattern);
  const what = text === undefined ? (meaning ?? "what a pattern matches") : `“${text}”`;
  const where = paths?.length ? ` in ${paths.join(", ")}` : "";
  const sentences: Record<CheckRule["kind"], () => string> = {
    forbid: () => `Text files${where} must not contain ${what}.`,
    require: () => `Files${where} must contain ${what}.`,
    command: () => `Agents must not run ${text === undefined ? "commands that a pattern matches" : what}.`,
    run: () => `“${run}” must pass${where && ` after changes${where}`}.`,
    asset: () => {
      const limits = ruleText(rule).replace(/^files /, "");
      return `Assets must ${limits.startsWith("with") ? "come" : "be"} ${limits}.`;
    },
  };
  return { sentence: sentences[kind](), pattern };
}
