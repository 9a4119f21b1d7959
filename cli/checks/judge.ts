/** Judges changed files by the checks of decisions. Only what a change adds is judged for forbidden texts. */
import { loadPatterns, type Pattern } from "../../src/memory/checks/re2.ts";
import type { CheckInForce, CheckRule } from "../../src/memory/checks/schema.ts";
import type { ChangedFile } from "./diff.ts";

export interface Violation {
  check: CheckInForce;
  path: string;
  /** Null: the whole file. */
  line: number | null;
  /** The line that has what is forbidden. */
  text: string;
}

/** Of one check, so that a pattern which fits everything fills no terminal. */
const violationsMax = 20;

/** @param read the text of a changed file as it is now; null if it has none */
export async function judgeFiles(
  checks: readonly CheckInForce[],
  files: readonly ChangedFile[],
  read: (path: string) => string | null,
): Promise<Violation[]> {
  const ofFiles = checks.filter(({ rule }) => rule.kind === "forbid" || rule.kind === "require");
  const compile = ofFiles.some(({ rule }) => rule.pattern !== undefined) ? await loadPatterns() : null;
  // One search over everything tells for most checks that they are kept.
  const whole = files.map(({ added }) => added.map(({ text }) => text).join("\n")).join("\n");
  return ofFiles.flatMap((check): Violation[] => {
    const pattern = patternOf(check.rule, compile);
    if (!pattern) return [];
    const concerned = () => matchingFiles(check.rule, files);
    if (check.rule.kind === "require")
      return concerned()
        .filter(({ path }) => {
          const text = read(path);
          return text !== null && !pattern.isIn(text);
        })
        .map(({ path }) => ({ check, path, line: null, text: "" }))
        .slice(0, violationsMax);
    if (!pattern.isIn(whole)) return [];
    return concerned()
      .flatMap(({ path, added }) =>
        added
          .filter(({ text }) => pattern.isIn(text))
          .map(({ line, text }) => ({ check, path, line, text: text.trim() })),
      )
      .slice(0, violationsMax);
  });
}

function patternOf(
  { text, pattern }: CheckRule,
  compile: ((pattern: string) => Pattern) | null,
): Pick<Pattern, "isIn"> | null {
  if (text !== undefined) return { isIn: (other) => other.includes(text) };
  try {
    return compile?.(pattern ?? "") ?? null;
  } catch {
    return null; // a pattern that a later version of svc may know
  }
}

/** The files that a rule is about. A glob without a slash fits in every folder, as in .gitignore. */
export function matchingFiles({ paths }: CheckRule, files: readonly ChangedFile[]): ChangedFile[] {
  if (!paths?.length) return [...files];
  const globs = paths.map((path) => {
    const inFolder = path.endsWith("/") ? `${path}**` : path;
    return new Bun.Glob(inFolder.includes("/") ? inFolder.replace(/^\.?\//, "") : `**/${inFolder}`);
  });
  return files.filter(({ path }) => globs.some((glob) => glob.match(path)));
}
