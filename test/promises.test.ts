/** The list of promises and cases is whole, and each names a test that is there. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cases, keptInSuite, unproven } from "./faults/cases.ts";
import { counts, limits } from "./faults/promises.ts";

const read = (file: string): string | null => {
  const path = join(import.meta.dir, file);
  return existsSync(path) ? readFileSync(path, "utf8") : null;
};
const numbered = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);

describe("the reference", () => {
  test("has 68 cases, each with a test of those words", () => {
    expect(Object.keys(cases)).toEqual(numbered("F", 68));
    const proofs = [
      ...Object.entries(cases).flatMap(([name, list]) => list.map((proof) => [name, proof] as const)),
      ...Object.entries(keptInSuite),
    ];
    expect(
      proofs
        .filter(([, [file, words]]) => !read(file)?.includes(words))
        .map(([name, [file, words]]) => `${name}: ${file}: ${words}`),
    ).toEqual([]);
  });

  test("has 27 promises, each with a number, a test in the suite, or a reason", () => {
    const existing = [...Object.values(counts), ...Object.values(limits)].map(({ promise }) => promise);
    const all = new Set([...existing, ...Object.keys(keptInSuite), ...Object.keys(unproven)]);
    expect(numbered("R", 27).filter((name) => !all.has(name))).toEqual([]);
    expect([...all].filter((name) => !/^R([1-9]|1\d|2[0-7])$/.test(name))).toEqual([]);
  });
});

test("every number is asked for and reached by the test that it names", () => {
  const silent = [
    ...Object.entries(counts).filter(([name, { file }]) => !read(file)?.includes(`reached("${name}"`)),
    ...Object.entries(limits).filter(([name, { file }]) => !read(file)?.includes(`measured("${name}"`)),
  ];
  expect(silent.map(([name, { file }]) => `${name}: ${file}`)).toEqual([]);
});

test("a full run is never shorter than a bounded one, nor that than the suite", () => {
  const wrong = Object.entries(counts).filter(
    ([, { suite, bounded, full }]) => suite > bounded || bounded > full,
  );
  expect(wrong.map(([name]) => name)).toEqual([]);
});
