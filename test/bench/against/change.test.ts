/** What `bun run bench --against` calls slower. */
import { describe, expect, test } from "bun:test";
import { seededRandom } from "../../support/random.ts";
import { changeOf, type Pair, repeatsMax } from "./change.ts";

/** Pairs in which this tree took so many times as long. */
const pairsOf = (...ratios: number[]): Pair[] => ratios.map((ratio) => [20, 20 * ratio]);
const isSlower = (...ratios: number[]) => changeOf(pairsOf(...ratios)).isSlower;
const isOpen = (...ratios: number[]) => changeOf(pairsOf(...ratios)).isOpen;
const times = (count: number, ratio: number) => Array<number>(count).fill(ratio);

test("a row that is over 5 % slower in every pair is slower, and one that is at the limit is not", () => {
  expect(isSlower(...times(15, 1.06))).toBe(true);
  expect(isSlower(...times(15, 1.05))).toBe(false);
  expect(isSlower(...times(24, 1.2), ...times(6, 0.98))).toBe(true);
  expect(isSlower(...times(16, 1.2), ...times(14, 0.98))).toBe(false);
});

test("five rounds that are not slower are enough, and of what has no rounds one pair", () => {
  expect([isOpen(1.02), isOpen(1.03), isOpen(1.03, 0.9, 1.2, 1.1)]).toEqual([false, true, true]);
  expect([isOpen(...times(5, 1.02)), isOpen(...times(4, 1.02), 1.11)]).toEqual([false, true]);
  expect([isOpen(...times(5, 1.2)), isOpen(...times(15, 1.2))]).toEqual([true, false]);
});

test("a moment in which the machine was busy changes neither the estimate nor its bounds much", () => {
  const { ratio, low, high } = changeOf(pairsOf(...times(20, 1), ...times(9, 1.01), 9, 0.2));
  expect([ratio, low, high].map((value) => Math.round(value * 100))).toEqual([100, 100, 100]);
});

test("nothing lost on both sides is no change, and losses are", () => {
  expect(changeOf([[0, 0]]).ratio).toBe(1);
  expect(changeOf(Array<Pair>(13).fill([0, 3])).isSlower).toBe(true);
});

/** CPU of equal code, recorded on 2026-12-01: rounds of `projects` at a load of 5 to 7, and of `svc hook`. */
const recorded = {
  projects: [
    ...[1.35, 0.92, 1.18, 0.93, 0.99, 1.25, 1.49, 1.02, 1.09, 1.16, 0.92, 0.91, 0.63, 1.54, 1.29, 1.04, 1.06],
    ...[1.1, 0.89, 1.05, 1.04, 0.92, 1.04, 1.61, 0.88, 1.86, 1.08, 1.07, 0.84, 0.93],
  ],
  hook: [
    ...[1.06, 1.08, 1.03, 1.06, 1.06, 1.06, 1.02, 1.06, 1.01, 1.06, 0.92, 1.03, 1.03, 1.06, 0.96, 0.89, 1.04],
    ...[
      0.92, 0.94, 0.99, 1, 0.95, 1.03, 1.1, 0.67, 0.85, 1.04, 0.98, 0.92, 1.02, 0.97, 0.94, 1.11, 0.88, 1.03,
    ],
    ...[1.25, 1.04, 0.94, 0.99, 0.97, 1.04, 1.03],
  ],
};

describe.each([
  ["projects", 5],
  ["hook", 21],
] as const)("of 1,000 comparisons with the noise of %s", (name, rounds) => {
  const random = seededRandom(44);
  /** Which of two equal sides came first is chance. */
  const noise = () => random.pick(recorded[name]);
  const round = (slowdown: number): Pair =>
    random.chance(0.5) ? [1, noise() * slowdown] : [noise(), slowdown];
  const slowerOf = (slowdown: number) => {
    const found = Array.from({ length: 1_000 }, () => {
      const pairs: Pair[] = [];
      for (let repeat = 0; repeat < repeatsMax; repeat++) {
        for (let at = 0; at < rounds; at++) pairs.push(round(slowdown));
        if (!changeOf(pairs).isOpen) break;
      }
      return changeOf(pairs).isSlower;
    });
    return found.filter(Boolean).length;
  };

  test("of equal code, at most three call it slower", () => {
    expect(slowerOf(1)).toBeLessThanOrEqual(3);
  });

  test("of code that takes 10 % more, nine of ten find it", () => {
    expect(slowerOf(1.1)).toBeGreaterThanOrEqual(900);
  });
});
