/** Shows changes of files as unified diffs, without the tokens in them. */
import { structuredPatch } from "diff";
import { escapeControls } from "../../../../src/core/lib/strings/display-text.ts";
import { withoutTokens } from "../../../output/hidden-tokens.ts";
import { styles } from "../../../output/terminal.ts";
import type { FileChange } from "./file-changes.ts";

/** The diff of a file. Of each token, it shows only the start. */
export function diffText({ path, before, after }: FileChange, isColored: boolean): string {
  const { hunks } = structuredPatch(path, path, before ?? "", after ?? "", "", "", { context: 2 });
  const plain = (line: string) => line;
  const styleOf = (line: string) =>
    !isColored ? plain : line.startsWith("-") ? styles.red : line.startsWith("+") ? styles.green : plain;
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    (isColored ? styles.cyan : plain)(`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`),
    ...lines.map((line) => styleOf(line)(escapeControls(withoutTokens(line.replace(/\r$/, ""))))),
  ]);
  const from = before === null ? "/dev/null" : path;
  const to = after === null ? "/dev/null" : path;
  return [`--- ${from}`, `+++ ${to}`, ...lines].join("\n");
}
