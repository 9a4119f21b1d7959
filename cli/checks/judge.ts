/** Judges changed files by the checks of decisions. Only what a change adds is judged for forbidden texts. */
import { loadPatterns, type Pattern } from "../../src/memory/checks/re2.ts";
import type { CheckInForce, CheckRule } from "../../src/memory/checks/schema.ts";
import type { AddedLine, ChangedFile } from "./diff.ts";
import { folded, requiredText } from "./required-text.ts";

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
  const added = searchable(files.flatMap((file) => file.added.map(({ text }) => text)).join("\n"));
  const texts = new Map<string, Searchable | null>();
  const textOf = (path: string): Searchable | null => {
    const known = texts.get(path);
    if (known !== undefined) return known;
    const text = read(path);
    const found = text === null ? null : searchable(text);
    texts.set(path, found);
    return found;
  };
  const found: Violation[] = [];
  for (const check of checks) {
    const { rule } = check;
    if (rule.kind === "require")
      found.push(...(await withoutText(check, matchingFiles(rule, files), textOf)));
    if (rule.kind === "forbid" && mayHave(rule, added))
      found.push(...(await withText(check, matchingFiles(rule, files))));
  }
  return found;
}

/** The files without what they have to have. */
async function withoutText(
  check: CheckInForce,
  files: readonly ChangedFile[],
  textOf: (path: string) => Searchable | null,
): Promise<Violation[]> {
  const found: Violation[] = [];
  for (const { path } of files) {
    const text = textOf(path);
    if (text === null) continue;
    const search = mayHave(check.rule, text) ? await searchOf(check.rule) : { isIn: () => false };
    if (search && !search.isIn(text.text)) found.push({ check, path, line: null, text: "" });
    if (found.length === violationsMax) break;
  }
  return found;
}

/** The added lines with what is forbidden: the engine gets only those that may have it. */
async function withText(check: CheckInForce, files: readonly ChangedFile[]): Promise<Violation[]> {
  const lines = files.flatMap(({ path, added }) =>
    added.filter(({ text }) => mayHave(check.rule, searchable(text))).map((line) => ({ path, ...line })),
  );
  const search = lines.length > 0 ? await searchOf(check.rule) : null;
  if (!search?.isIn(lines.map(({ text }) => text).join("\n"))) return [];
  return lines
    .filter(({ text }) => search.isIn(text))
    .slice(0, violationsMax)
    .map(({ path, line, text }: AddedLine & { path: string }) => ({ check, path, line, text: text.trim() }));
}

interface Searchable {
  text: string;
  /** Without capital letters. */
  folded(): string;
}

/** Both forms of a text that rules are compared with. */
export function searchable(text: string): Searchable {
  let lower: string | null = null;
  return {
    text,
    folded: () => {
      lower ??= folded(text);
      return lower;
    },
  };
}

/** False: the text of a rule, or what its pattern needs, is not there. */
export function mayHave({ text, pattern = "" }: CheckRule, where: Searchable): boolean {
  if (text !== undefined) return where.text.includes(text);
  const required = requiredOf(pattern);
  if (required === null) return true;
  const searched = required.ignoresCase ? where.folded() : where.text;
  return required.texts.some((one) => searched.includes(one));
}

const required = new Map<string, ReturnType<typeof requiredText>>();

function requiredOf(pattern: string): ReturnType<typeof requiredText> {
  const known = required.get(pattern);
  if (known !== undefined) return known;
  const found = requiredText(pattern);
  required.set(pattern, found);
  return found;
}

async function searchOf({ text, pattern }: CheckRule): Promise<Pick<Pattern, "isIn"> | null> {
  if (text !== undefined) return { isIn: (other) => other.includes(text) };
  const compile = await loadPatterns();
  try {
    return compile(pattern ?? "");
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
