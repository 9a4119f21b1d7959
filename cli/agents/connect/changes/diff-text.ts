/** Shows changes of files as unified diffs, without the tokens in them. */
import { structuredPatch } from "diff";
import { escapeControls } from "../../../../src/lib/strings/display-text.ts";
import type { FileChange } from "./file-changes.ts";

const red = 31;
const green = 32;
const cyan = 36;

/** The diff of a file. Tokens of svc show only their start: a terminal is seen, shared and recorded. */
export function diffText({ path, before, after }: FileChange, isColored: boolean): string {
  const { hunks } = structuredPatch(path, path, before ?? "", after ?? "", "", "", { context: 2 });
  const colored = (color: number, line: string) => (isColored ? `\x1b[${color}m${line}\x1b[0m` : line);
  const colorOf = (line: string) => (line.startsWith("-") ? red : line.startsWith("+") ? green : null);
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    colored(cyan, `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...lines.map((line) => {
      const shown = escapeControls(withoutTokens(line.replace(/\r$/, "")));
      const color = colorOf(line);
      return color === null ? shown : colored(color, shown);
    }),
  ]);
  const from = before === null ? "/dev/null" : path;
  const to = after === null ? "/dev/null" : path;
  return [`--- ${from}`, `+++ ${to}`, ...lines].join("\n");
}

/** The text with all but the start of each token removed. */
export const withoutTokens = (text: string): string => text.replace(/\b(svc_\w{4})\w{36}\b/g, "$1…");
