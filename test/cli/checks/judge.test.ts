/** What a diff adds, and which checks it breaks. */
import { describe, expect, test } from "bun:test";
import { type ChangedFile, parseDiff } from "../../../cli/checks/diff.ts";
import { judgeFiles } from "../../../cli/checks/judge.ts";
import type { CheckInForce, CheckRule } from "../../../src/memory/checks/schema.ts";

const check = (rule: CheckRule): CheckInForce => ({ decision: 31, text: "Words", actor: "human:mara", rule });
const files: ChangedFile[] = [
  { path: "src/app.css", added: [{ line: 3, text: "  color: #ff0000;" }] },
  { path: "notes/red.md", added: [{ line: 1, text: "Not #FF0000" }] },
];
const broken = async (rule: CheckRule, texts: Record<string, string> = {}) =>
  (await judgeFiles([check(rule)], files, (path) => texts[path] ?? null)).map(({ path, line }) => [
    path,
    line,
  ]);

describe("added lines", () => {
  test("are read with their numbers, from any form of a diff", () => {
    const diff = [
      "diff --git a/x b/x",
      "--- a/x",
      "+++ b/x",
      "@@ -1,3 +1,4 @@ heading",
      " one",
      "--- two",
      "+++ three",
      "+four\r",
      " five",
      '+++ "b/a \\"b\\".txt"',
      "@@ -0,0 +7 @@",
      "+seven",
      "\\ No newline at end of file",
      "--- a/gone",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-gone",
    ];
    expect(parseDiff(diff.join("\n"))).toEqual([
      {
        path: "x",
        added: [
          { line: 2, text: "++ three" },
          { line: 3, text: "four" },
        ],
      },
      { path: 'a "b".txt', added: [{ line: 7, text: "seven" }] },
    ]);
  });

  test("names files as they are called, also where git writes their bytes as octal numbers", () => {
    const paths = ['"b/src/gr\\303\\266\\303\\237e.css"', '"b/a\\033[2J\\tü.txt"'];
    expect(parseDiff(paths.map((path) => `+++ ${path}`).join("\n")).map(({ path }) => path)).toEqual([
      "src/größe.css",
      "a\u001b[2J\tü.txt",
    ]);
  });
});

describe("a check", () => {
  test("of a forbidden text finds the lines, only in files that match its globs", async () => {
    expect(await broken({ kind: "forbid", text: "#FF0000" })).toEqual([["notes/red.md", 1]]);
    expect(await broken({ kind: "forbid", pattern: "(?i)#ff0000", paths: ["*.css"] })).toEqual([
      ["src/app.css", 3],
    ]);
    expect(await broken({ kind: "forbid", text: "#FF0000", paths: ["src/"] })).toEqual([]);
  });

  test("of a required text reads the whole file", async () => {
    const required: CheckRule = { kind: "require", text: "SPDX", paths: ["**/*.css"] };
    expect(await broken(required, { "src/app.css": "/* SPDX */\n" })).toEqual([]);
    expect(await broken(required, { "src/app.css": "a {}" })).toEqual([["src/app.css", null]]);
    expect(await broken(required)).toEqual([]);
  });

  test("with a pattern that svc does not know is skipped", async () => {
    expect(await broken({ kind: "forbid", pattern: "(?<=a)b(" })).toEqual([]);
  });
});
