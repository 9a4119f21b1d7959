/** The files that a command says a decision speaks of. */
import { escapeControls } from "../../src/core/lib/strings/display-text.ts";
import { UsageError } from "../command-errors.ts";
import type { FoundAnchor } from "./anchor-states.ts";
import { git, objectsAt } from "./git-objects.ts";

export const anchorsFlag = {
  anchors: { type: "string", description: "Files that it speaks of, with commas: src/a.ts,src/b.ts#name" },
} as const;

/** As given, or else as a text names what is in this checkout. */
export function findAnchors(text: string, given: string | undefined): FoundAnchor[] {
  const folder = process.cwd();
  if (given === undefined) return anchorsIn(folder, text);
  const found = givenAnchors(folder, given.split(","));
  if (typeof found === "string") throw new UsageError(`--anchors: ${found} is not in the last commit.`);
  return found;
}

export const anchorText = (anchors: readonly FoundAnchor[]): string =>
  anchors.length === 0 ? "" : ` It speaks of ${anchors.map(nameOf).join(", ")}.`;

const nameOf = ({ path, symbol }: FoundAnchor): string =>
  escapeControls(symbol === undefined ? path : `${path}#${symbol}`);

const anchorsMax = 8;
const wordsMax = 40;
/** Symbols that are looked for: each reads every file of the commit. */
const symbolsMax = 4;
const definition = "(function|class|const|let|var|def|fn|func|type|interface|struct|enum|trait|module)";

/** Anchors given as `path` or `path#symbol`, with the ids of their files; or the first path that is missing. */
export function givenAnchors(folder: string, given: readonly string[]): FoundAnchor[] | string {
  const named = given.map((one) => {
    const [path = "", symbol] = one.split("#");
    return { path, ...(symbol && { symbol }) };
  });
  const objects = objectsAt(
    folder,
    "HEAD",
    named.map(({ path }) => path),
  );
  const missing = objects && named.find(({ path }) => !objects.has(path));
  if (missing) return missing.path;
  return named.map((anchor) => withBlob(anchor, objects));
}

/** Files, folders, and symbols of the checkout that a text names. */
export function anchorsIn(folder: string, text: string): FoundAnchor[] {
  const quoted = [...text.matchAll(/`([^`\n]{2,200})`/g)].map(([, word = ""]) => word);
  const bare = text.match(/(?<![\w`/.-])(?:[\w.-]+\/)+[\w.-]*\w|(?<![\w`/.-])[\w-]+\.[a-z]{1,5}\b/g) ?? [];
  const words = [...new Set([...quoted, ...bare])].filter((word) => !word.startsWith("/")).slice(0, wordsMax);
  if (words.length === 0) return [];
  const objects = objectsAt(folder, "HEAD", words);
  if (!objects) return [];
  const paths = words.filter((word) => objects.has(word)).map((path) => withBlob({ path }, objects));
  const symbols = quoted.filter(
    (word) => !objects.has(word) && /^[A-Za-z_$][\w$]{2,80}(?:\(\))?$/.test(word),
  );
  return [
    ...paths,
    ...symbols.slice(0, symbolsMax).flatMap((word) => definedOnce(folder, word.replace("()", ""))),
  ].slice(0, anchorsMax);
}

/** The file that defines a symbol, if exactly one does. */
function definedOnce(folder: string, symbol: string): FoundAnchor[] {
  const pattern = `\\b${definition}\\s+${symbol.replaceAll("$", "\\$")}\\b`;
  const listed = git(folder, ["grep", "-lzE", "--full-name", pattern, "HEAD", "--", ":/"]) ?? "";
  const [only, ...more] = listed.split("\0").filter(Boolean);
  if (only === undefined || more.length > 0) return [];
  const path = only.slice("HEAD:".length);
  return [withBlob({ path, symbol }, objectsAt(folder, "HEAD", [path]))];
}

function withBlob(
  anchor: { path: string; symbol?: string },
  objects: Map<string, string> | null,
): FoundAnchor {
  const blob = objects?.get(anchor.path);
  return { ...anchor, ...(blob !== undefined && { blob }) };
}
