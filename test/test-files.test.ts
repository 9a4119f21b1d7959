/** Tests stay short enough to read: files, and what is in one `describe`. */
import { describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dir);
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

describe("names in tests", () => {
  /** Riddles that named things here once; the field has a term for each. */
  const riddles =
    /\b(house|furnished|dial|beheld|Errand|unhurried|atOnce|Asked|Told|scribe|bell|stretch|nobody|somebody|everybody|whoever|anew)\b/;
  /** Code without comments and texts, but with the placeholders in texts. */
  const codeIn = (text: string): string =>
    text
      .replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "")
      .replace(/"(?:[^"\\\n]|\\.)*"|(?<=[(\s!=:,])\/(?:[^/\\\n]|\\.)+\/[a-z]*/g, '""')
      .replace(/`(?:[^`\\]|\\.)*`/g, (template) =>
        [...template.matchAll(/\$\{([^}]*)\}/g)].map(([, code]) => code).join(" "),
      );

  test("are the terms of the field", async () => {
    const found: string[] = [];
    for (const path of new Bun.Glob("test/**/*.ts").scanSync(root)) {
      if (path.startsWith("test/demo/")) continue; // prose and pictures
      const [word] = riddles.exec(codeIn(await Bun.file(join(root, path)).text())) ?? [];
      if (word) found.push(`${path}: ${word}`);
    }
    expect(found).toEqual([]);
  });
});
