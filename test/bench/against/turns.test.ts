/** How the sides of `bun run bench --against` take turns. */
import { expect, test } from "bun:test";
import type { Result } from "../measuring/measure.ts";
import { measureByTurns, type Side, type SideAnswer } from "./turns.ts";

/** A side that notes each of its turns, and ends with this answer. */
function sideOf(name: string, turns: number, last: Exclude<SideAnswer, "waits">, log: string[]): Side {
  let left = turns;
  return async (message) => {
    if (message === "go on") {
      log.push(name);
      await Bun.sleep(1);
      log.push(`${name} ends`);
    }
    return left-- > 0 ? "waits" : last;
  };
}

const resultsOf = (amount: number) => ({ results: [{ measure: "a row", amount } as Result] });
const request = { name: "feed", options: { mix: "agents" } } as const;

test("sides work one at a time, A B B A, and the longer one alone once the other has ended", async () => {
  const log: string[] = [];
  const sides = [sideOf("a", 2, resultsOf(1), log), sideOf("b", 3, resultsOf(2), log)] as const;
  const found = await measureByTurns(sides, request, 0);
  expect(found.flat().map(({ amount }) => amount)).toEqual([1, 2]);
  expect(log).toEqual(["a", "b", "b", "a", "b"].flatMap((name) => [name, `${name} ends`]));
  log.length = 0;
  await measureByTurns([sideOf("a", 1, resultsOf(1), log), sideOf("b", 1, resultsOf(2), log)], request, 1);
  expect(log[0]).toBe("b");
});

test("what a side fails with is thrown once the other one has ended, too", async () => {
  const log: string[] = [];
  const sides = [sideOf("a", 0, { error: "no wrk" }, log), sideOf("b", 2, resultsOf(2), log)] as const;
  await expect(measureByTurns(sides, request, 0)).rejects.toThrow("no wrk");
  expect(log).toEqual(["b", "b ends", "b", "b ends"]);
});
