/** The place of the block in a file of rules: every other line stays as it is. */
import { expect, test } from "bun:test";
import { withBlock } from "../../../../cli/agents/rules/managed-block.ts";
import { beginLine, endLine } from "../../../../cli/agents/rules/rules-text.ts";

const block = (rule = "- Rule") => [beginLine("atlas"), rule, endLine("atlas")];
const text = (rule?: string) => `${block(rule).join("\n")}\n`;
const keep = (before: string, rule?: string) => withBlock(before, "atlas", block(rule));

test.each([
  ["an empty file", ""],
  ["lines", "# Mine\n\nText\n"],
  ["CRLF", "# Mine\r\n\r\nText\r\n"],
  ["no final line break", "# Mine\nText"],
  ["CRLF and no final line break", "# Mine\r\nText"],
  ["a byte order mark", "\ufeff# Mine\n"],
  ["empty lines at the end", "# Mine\n\n\n"],
  ["an example in fenced code", `# Mine\n\n~~~md\n${text("- Example")}~~~\n`],
  ["a fence that is not closed", "# Mine\n```\ncode\n"],
  ["the block of another project", `${text().replaceAll("atlas", "atlas-2")}# Mine\n`],
])("a file with %s gets the block, keeps it, and is what it was without it", (_, before) => {
  const added = keep(before);
  expect(keep(added)).toBe(added);
  expect(keep(keep(added, "- Other"))).toBe(added);
  expect(added.endsWith("\n")).toBe(before === "" || before.endsWith("\n"));
  expect(added.includes("\r\n") && /[^\r]\n/.test(added)).toBe(false);
  expect(withBlock(added, "atlas", null)).toBe(before);
});

test("a block in the middle is replaced in its place, and its copies are removed", () => {
  const before = `# A\n\n${text("- Old")}\n# B\n\n${text("- Copy")}# C\n`;
  expect(keep(before)).toBe(`# A\n\n${text()}\n# B\n\n# C\n`);
});

test.each([
  ["no end", `# A\n${beginLine("atlas")}\n- Rule\n# B\n`, "line 2 begins a block that does not end"],
  ["no start", `# A\n${endLine("atlas")}\n`, "line 2 ends a block that does not begin"],
  ["two starts", `${beginLine("atlas")}\n${text()}`, "line 1 begins a block that does not end"],
])("a block with %s is an error that names its line", (_, before, message) => {
  expect(() => keep(before)).toThrow(message);
});
