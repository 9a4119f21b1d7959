/** A merge conflict inside or around the block, as git writes it. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withBlock } from "../../../../cli/agents/rules/managed-block.ts";
import { repairConflict } from "../../../../cli/agents/rules/merge-conflicts.ts";
import { beginLine, endLine } from "../../../../cli/agents/rules/rules-text.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-merge-"));
afterAll(() => rmSync(folder, { recursive: true }));

const block = (...rules: string[]) => [beginLine("atlas"), ...rules, endLine("atlas")];
const text = (...rules: string[]) => `${block(...rules).join("\n")}\n`;
const renewed = block("- New");
const repair = (conflict: string) => repairConflict(conflict, "atlas", renewed);

/** What `git merge` leaves in a file of these versions. */
async function merged(ours: string, base: string, theirs: string, ...flags: string[]): Promise<string> {
  const files = ["ours", "base", "theirs"].map((name) => join(folder, name));
  for (const [at, content] of [ours, base, theirs].entries()) await Bun.write(files[at] ?? "", content);
  return Bun.spawnSync(["git", "merge-file", "-p", ...flags, ...files]).stdout.toString();
}

test.each([[[]], [["--diff3"]], [["--zdiff3"]]])("a conflict in its rules goes, with %p", async (flags) => {
  const file = (rule: string) => `# A\n\n${text("- 1", rule, "- 3")}\n# B\n`;
  const conflict = await merged(file("- ours"), file("- base"), file("- theirs"), ...flags);
  expect(conflict).toContain("<<<<<<<");
  expect(repair(conflict)).toBe(`# A\n\n${text("- New")}\n# B\n`);
});

test("a block that both sides added is one block, also where each added lines of its own", async () => {
  const file = (rule: string, line = "") => `# A\n${line}\n${text(rule)}`;
  expect(repair(await merged(file("- x"), "# A\n", file("- y")))).toBe(`# A\n\n${text("- New")}`);
  const both = repair(await merged(file("- x", "ours\n"), "# A\n", file("- y", "theirs\n"))) ?? "";
  expect(both.match(/svc rules begin/g)).toHaveLength(1);
  expect(both).toMatch(/<<<<<<< .*\nours\n=======\ntheirs\n>>>>>>> /);
  expect(both).not.toMatch(/- [xy]/);
  expect(withBlock(both, "atlas", renewed)).toBe(both);
});

test("a conflict that begins in the block and ends after it keeps the lines of both sides", () => {
  const conflict = [
    `# A\n${beginLine("atlas")}`,
    `<<<<<<< HEAD\n- x\n${endLine("atlas")}\nours`,
    `=======\n- y\n${endLine("atlas")}\ntheirs`,
    ">>>>>>> other\n# B\n",
  ].join("\n");
  expect(repair(conflict)).toBe(
    `# A\n${text("- New")}<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other\n# B\n`,
  );
});

test("a side without the block gets it", async () => {
  const conflict = await merged("# A\n# B\n", `# A\n${text("- 1")}# B\n`, `# A\n${text("- 2")}# B\n`);
  expect(repair(conflict)).toBe(`# A\n${text("- New")}# B\n`);
});

test("conflicts elsewhere stay, and so do lines that only look like marks", () => {
  const elsewhere = "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n";
  expect(repair(`${elsewhere}${text("- 1")}`)).toBeNull();
  expect(withBlock(`${elsewhere}${text("- 1")}`, "atlas", renewed)).toBe(`${elsewhere}${text("- New")}`);
  expect(repair(`Title\n=======\n${text("- 1")}<<<<<<< not closed\n`)).toBeNull();
});

test("an example in fenced code stays as it is when the block conflicts", () => {
  const example = `~~~md\n${text("- Example")}~~~\n`;
  const conflict = `${example}<<<<<<< a\n${text("- x")}=======\n${text("- y")}>>>>>>> b\n`;
  expect(repair(conflict)).toBe(`${example}${text("- New")}`);
});

test("CRLF stays CRLF, and removing leaves what was not the block's", () => {
  const conflict = `# A\n<<<<<<< a\n${text("- x")}=======\n${text("- y")}>>>>>>> b\n# B\n`.replaceAll(
    "\n",
    "\r\n",
  );
  expect(repair(conflict)).toBe(`# A\n${text("- New")}# B\n`.replaceAll("\n", "\r\n"));
  expect(repairConflict(conflict, "atlas", null)).toBe("# A\r\n# B\r\n");
});
