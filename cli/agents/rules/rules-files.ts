/** The files in which agents find rules, and which of them svc keeps in a folder. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { realPath } from "../../repository/real-path.ts";

interface RulesFile {
  path: string;
  /** When it is kept without a request: always, where the file or this folder exists. */
  where: "always" | "exists" | { folder: string };
  /** What a new file begins with. */
  head?: string;
}

const cursorHead = "---\ndescription: Decisions of this project\nalwaysApply: true\n---\n";

const rulesFiles: readonly RulesFile[] = [
  { path: "AGENTS.md", where: "always" },
  { path: "CLAUDE.md", where: "exists" },
  { path: ".claude/rules/svc.md", where: { folder: ".claude" } },
  { path: ".cursor/rules/svc.mdc", where: { folder: ".cursor" }, head: cursorHead },
  { path: ".github/copilot-instructions.md", where: "exists" },
  { path: "GEMINI.md", where: "exists" },
];

export const rulesPaths = rulesFiles.map(({ path }) => path);

/** What a new file begins with. */
export const headOf = (path: string): string => rulesFiles.find((file) => file.path === path)?.head ?? "";

/**
 * The files to keep, relative to the folder: requested ones, those that have the block, and those of agents
 * that are used here. No agent reads a decision twice: a link to another of these files, or one that imports
 * AGENTS.md, is left out, and `.claude/rules/svc.md` where CLAUDE.md has the block.
 */
export function filesToKeep(
  folder: string,
  requested: readonly string[],
  read: (path: string) => string,
  hasBlock: (path: string) => boolean,
): string[] {
  const isThere = (path: string) => existsSync(join(folder, path));
  const isUsed = ({ path, where }: RulesFile) =>
    where === "always" || isThere(typeof where === "object" ? where.folder : path);
  const chosen: string[] = [];
  const places = new Set<string>();
  for (const file of rulesFiles) {
    const { path } = file;
    const isChosen = requested.includes(path) || hasBlock(path);
    const isRepeated =
      (isThere(path) && /(^|\s)@(\.\/)?AGENTS\.md\b/m.test(read(path))) ||
      (path === ".claude/rules/svc.md" && chosen.includes("CLAUDE.md"));
    const place = realPath(join(folder, path));
    if (places.has(place) || !(isChosen || (isUsed(file) && !isRepeated))) continue;
    places.add(place);
    chosen.push(path);
  }
  return chosen;
}
