/** What `bun run bench --against` calls slower. */
import { expect, test } from "bun:test";
import { changeOf, type Pair } from "./change.ts";

/** Pairs in which this tree took so many times as long. */
const pairsOf = (...ratios: number[]): Pair[] => ratios.map((ratio) => [20, 20 * ratio]);
const isSlower = (...ratios: number[]) => changeOf(pairsOf(...ratios)).isSlower;

test("a row that is over 5 % slower in every pair is slower, and one that is at the limit is not", () => {
  expect(isSlower(1.06, 1.08, 1.07)).toBe(true);
  expect(isSlower(1.05, 1.05, 1.04)).toBe(false);
});

test("a row that is faster in one of three pairs, or in three of thirteen, is not slower; in two of them it is", () => {
  expect(changeOf(pairsOf(0.98, 1.2, 1.3))).toMatchObject({ seemsSlower: true, isSlower: false });
  expect(isSlower(0.98, 0.99, ...Array(11).fill(1.2))).toBe(true);
  expect(isSlower(0.98, 0.99, 0.97, ...Array(10).fill(1.2))).toBe(false);
});

test("a row is measured again after a hint, and while it seems slower, until five pairs are certain", () => {
  const isOpen = (...ratios: number[]) => changeOf(pairsOf(...ratios)).isOpen;
  expect([isOpen(1.02), isOpen(1.03), isOpen(1.03, 0.9), isOpen(1.03, 0.9, 1.04)]).toEqual([
    ...[false, true, true, false],
  ]);
  expect([isOpen(1.06, 1.1, 1.2, 1.1), isOpen(1.06, 1.1, 1.2, 1.1, 1.07)]).toEqual([true, false]);
  const ten = Array(10).fill(1.1);
  expect([isOpen(1, 1, ...ten), isOpen(1, 1, 1, ...ten)]).toEqual([true, false]);
});

test("a moment in which the machine was busy changes neither the median nor what it lies between", () => {
  expect(changeOf(pairsOf(1, 1.01, 0.99, 9, 1, 1.01, 0.2))).toEqual({
    ...{ ratio: 1, low: 0.99, high: 1.01 },
    ...{ seemsSlower: false, isSlower: false, isOpen: false },
  });
});

test("nothing lost on both sides is no change, and the first loss is one", () => {
  expect(changeOf([[0, 0]]).ratio).toBe(1);
  expect(changeOf([[0, 3]]).isSlower).toBe(true);
});
