/** Tests stay short enough to read: files, and what is in one `describe`. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { repositoryRoot as root } from "./support/repository.ts";

const [linesMax, describeLinesMax] = [300, 200];

describe("test files", () => {
  /** The lines of every `describe` of a formatted file: it ends with the next `);` at its own indent. */
  const describesOf = (text: string): { title: string; lines: number }[] => {
    const lines = text.split("\n");
    return lines.flatMap((line, start) => {
      const [, indent] = /^( *)describe\b/.exec(line) ?? [];
      if (indent === undefined) return [];
      const length = lines
        .slice(start)
        .findIndex((one) => /^ *\}?\);$/.test(one) && one.search(/\S/) === indent.length);
      return [{ title: line.trim(), lines: length + 1 }];
    });
  };

  test(`have at most ${linesMax} lines, and a describe at most ${describeLinesMax}`, async () => {
    const long: string[] = [];
    for (const path of new Bun.Glob("test/**/*.test.ts").scanSync(root)) {
      const text = await Bun.file(join(root, path)).text();
      const lines = text.split("\n").length - 1;
      if (lines > linesMax) long.push(`${path}: ${lines} lines`);
      for (const { title, lines } of describesOf(text))
        if (lines > describeLinesMax) long.push(`${path}: ${title}: ${lines} lines`);
    }
    expect(long).toEqual([]);
  });
});
