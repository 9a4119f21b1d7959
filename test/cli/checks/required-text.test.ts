/** What a pattern needs in each text that it matches, which spares the engine most texts. */
import { expect, test } from "bun:test";
import { folded, requiredText } from "../../../cli/checks/required-text.ts";
import { loadPatterns } from "../../../src/memory/checks/re2.ts";
import { seededRandom } from "../../support/random.ts";

test.each([
  ["left-pad", ["left-pad"]],
  ["(?:^|[^\\w-])left-pad(?:$|[^\\w-])", ["left-pad"]],
  ["(?i)#(?:FF0000|f00)\\b", ["ff0000", "f00"]],
  ["import .* from [\"']moment[\"']", ["import "]],
  ["a(?:bc|d(?:ef)+)ghi", ["ghi"]],
  ["npm (?P<what>publish|unpublish)", ["publish", "unpublish"]],
  ["colou?r", ["colo"]],
  ["x{0,3}yy{2}z", ["yy"]],
  ["a\\.b\\+c", ["a.b+c"]],
  ["(?i)größe", ["gr"]],
])("%s", (pattern, texts) => {
  expect(requiredText(pattern)?.texts).toEqual(texts);
});

test.each([
  "",
  "\\d+",
  "a*",
  "a|",
  "(?:ab|\\w)",
  "x(?i)y",
  "[[:alpha:]]x",
  "\\x41b",
  "\\Qa.b\\E",
  "(a",
  "a)",
])("%j: nothing that is known", (pattern) => {
  expect(requiredText(pattern)).toBeNull();
});

test("no text that a pattern matches is without it", async () => {
  const compile = await loadPatterns();
  const { pick, chance, between } = seededRandom(42);
  const atoms = ["a", "b", "K", "s", "\\.", ".", "[ab]", "[^a\\]]", "\\b", "^", "$", "\\w", "é", "😀", "-"];
  const counts = ["", "", "", "?", "*", "+", "{2}", "{0,2}", "{1,}", "+?"];
  const make = (depth: number): string =>
    Array.from({ length: between(1, 3) }, () => {
      const inner = depth > 0 && chance(0.4);
      const atom = inner ? `(?:${make(depth - 1)}${chance(0.5) ? `|${make(depth - 1)}` : ""})` : pick(atoms);
      return /^(?:\\b|[$^])$/.test(atom) ? atom : atom + pick(counts);
    }).join("");
  const letters = ["a", "b", "A", "B", "k", "\u212a", "ſ", "S", "s", ".", "é", "É", "😀", "-", "\n"];
  let matched = 0;
  for (let time = 0; time < 3_000; time++) {
    const pattern = (chance(0.3) ? "(?i)" : "") + make(2);
    const required = requiredText(pattern);
    if (!required) continue;
    const { isIn } = compile(pattern);
    for (let one = 0; one < 10; one++) {
      const text = Array.from({ length: between(1, 8) }, () => pick(letters)).join("");
      if (!isIn(text)) continue;
      matched++;
      const searched = required.ignoresCase ? folded(text) : text;
      expect([pattern, text, required.texts.some((part) => searched.includes(part))]).toEqual([
        ...[pattern, text, true],
      ]);
    }
  }
  expect(matched).toBeGreaterThan(500);
});
