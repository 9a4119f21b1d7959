/** Checks that notes state plainly, and notes that state none. */
import { describe, expect, test } from "bun:test";
import { proposeChecks } from "../../src/memory/checks/propose.ts";
import { ruleText } from "../../src/memory/checks/rule-text.ts";
import { requireRules } from "../../src/memory/checks/rules.ts";

const proposals = (note: string) => proposeChecks(note).map(ruleText);

describe("a note", () => {
  test.each<[string, string[]]>([
    ["No #FF0000.", ["no /(?i)#(?:ff0000|f00)\\b/"]],
    ["Never use #1a2b3c in *.css", ["no /(?i)#1a2b3c\\b/ in *.css"]],
    ["never use left-pad", ["no /(?:^|[^\\w-])left-pad(?:$|[^\\w-])/"]],
    ["Don't use `moment`, it is too large.", ["no /(?:^|[^\\w-])moment(?:$|[^\\w-])/"]],
    ["Do not write “state of the art”.", ['no "state of the art"']],
    ["do not run npm publish", ['do not run "npm publish"']],
    ["Do not run npm publish. Ask first.", ['do not run "npm publish"']],
    ["Never run `git push --force` here.", ['do not run "git push --force"']],
    ["At most 200 KB, please.", ["files at most 200 KB"]],
    ["The hero is too large: no more than 1.5 MB", ["files at most 1536 KB"]],
    [
      "At most 1200 px wide, and at least 320 pixels high.",
      ["files at most 1200 px wide, at least 320 px high"],
    ],
    ["Not wider than 800 px.", ["files at most 800 px wide"]],
    ["The trailer is no longer than 30 seconds", ["files at most 30 s long"]],
    ["Text needs a contrast of at least 4.5:1.", ["files with text of at least 4.5:1 contrast"]],
    ["Strip EXIF and no GPS data.", ["files without exif, gps metadata"]],
    ["`make lint` must pass.", ['"make lint" has to pass']],
  ])("%j proposes %j", async (note, rules) => {
    expect(proposals(note)).toEqual(rules);
    await requireRules(proposeChecks(note));
  });

  test.each([
    "Too dark to print.",
    "The contrast is too low.",
    "No GPS unless the photo is public.",
    "Never use red for text.",
    "Do not run npm publish without a tag.",
    "Never use left-pad unless the team agrees.",
    "Do not run tests in production.",
    "Maps are drawn for paper: dark lines on white.",
    "See #12345 and #482.",
    "There was no #12 in the list",
    "The file was 200 KB.",
    "Answer within at most 30 seconds.",
    "Never use state-of-the-art fonts",
    "We scored 4:1 at least.",
    "Use #FF0000 for errors.",
    "The build took no more than 3 minutes.",
  ])("%j proposes nothing", (note) => {
    expect(proposals(note)).toEqual([]);
  });

  test("of any length is read in linear time", () => {
    for (const part of ["never use a-", "no #", "at most 1", "do not run npm a ", "`", "in src/"])
      expect(proposeChecks(part.repeat(400)).length).toBeLessThan(500);
  });
});
