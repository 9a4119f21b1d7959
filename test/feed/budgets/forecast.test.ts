/** The forecast: what is spent, and the median of the last seven full days for each day that is left. */
import { expect, test } from "bun:test";
import { toMicros } from "../../../src/core/lib/time.ts";
import { forecastOf } from "../../../src/feed/budgets/forecast.ts";
import {
  budgetName,
  endOf,
  spentText,
  startsOn,
  thresholdOf,
  wholePercent,
} from "../../../src/feed/budgets/spending.ts";

const noon = toMicros("2026-03-30T12:00:00Z");

test("adds the median of the last seven days for each day that is left, in part for today", () => {
  const costs = [4, 4, 4, 4, 100, 4, 4];
  expect(forecastOf(10, costs, { at: noon, end: "2026-03-31" })).toBe(10 + 4 * 1.5);
  expect(forecastOf(10, costs, { at: noon, end: "2026-03-30" })).toBe(10 + 4 * 0.5);
  expect(forecastOf(10, costs, { at: toMicros("2026-03-30T00:00:00Z"), end: "2026-04-05" })).toBe(10 + 4 * 7);
});

test("counts days without cost, and is null if fewer than four days cost anything", () => {
  expect(forecastOf(1, [1, 2, 3, 4], { at: noon, end: "2026-03-31" })).toBe(1 + 1 * 1.5);
  expect(forecastOf(1, [9, 9, 9], { at: noon, end: "2026-03-31" })).toBeNull();
  expect(forecastOf(1, [9, 9, 9, 0, 0, 0, 0], { at: noon, end: "2026-03-31" })).toBeNull();
});

test("periods are UTC days, weeks from Monday, and months", () => {
  expect(startsOn("2026-03-01")).toEqual({ day: "2026-03-01", week: "2026-02-23", month: "2026-03-01" });
  expect(endOf("2026-02-23", "week")).toBe("2026-03-01");
  expect(endOf("2028-02-01", "month")).toBe("2028-02-29");
  expect(endOf("2026-12-31", "day")).toBe("2026-12-31");
});

test("a threshold is reached by what adds up to it, and a percentage is rounded down", () => {
  expect([0.49, 0.5, 0.799, 0.8, 0.999, 1, 3].map((spent) => thresholdOf(spent, 1))).toEqual([
    0, 50, 50, 80, 80, 100, 100,
  ]);
  const tenths = Array.from({ length: 10 }, () => 0.1).reduce((sum, cost) => sum + cost, 0);
  expect([tenths < 1, thresholdOf(tenths, 1), wholePercent(tenths, 1)]).toEqual([true, 100, 100]);
  expect(wholePercent(0.999, 1)).toBe(99);
});

test("names say what is counted, and amounts have cents where they need them", () => {
  const everything = {
    project: null,
    team: null,
    person: null,
    lane: null,
    model: null,
    period: "week",
  } as const;
  expect(budgetName(everything)).toBe("everything, week");
  expect(budgetName({ ...everything, project: "atlas", model: "m" })).toBe("atlas, m, week");
  expect(budgetName({ ...everything, team: "maps" })).toBe("team maps, week");
  expect(spentText(160.2, 200)).toBe("$160.20 of $200 (80%)");
  expect(spentText(1234.5, 1000)).toBe("$1,234.50 of $1,000 (123%)");
});
