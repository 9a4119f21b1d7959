/** Two sides of a comparison that take turns, so that what the machine does besides hits both alike. */
import type { Options, Result } from "../measuring/measure.ts";

export type SideMessage = { name: string; options: Options } | "go on";
/** It waits for its turn, or has measured. */
export type SideAnswer = "waits" | { results: Result[] } | { error: string };
export type Side = (message: SideMessage) => Promise<SideAnswer>;

/**
 * Lets both measure, and only one of them work at a time. A side works until it waits for its next turn: for every
 * run of a round, A B B A.
 * @param first of the sides, which has the first turn
 * @throws Error what a side says, once both have ended
 */
export async function measureByTurns(
  sides: readonly [Side, Side],
  message: SideMessage,
  first: 0 | 1,
): Promise<[Result[], Result[]]> {
  const answers = await Promise.all(sides.map((side) => side(message)));
  for (let turn: number = first; answers.includes("waits"); turn++)
    for (const index of [turn % 2, (turn + 1) % 2] as (0 | 1)[])
      if (answers[index] === "waits") answers[index] = await sides[index]("go on");
  return answers.map((answer) => {
    if (answer !== "waits" && "results" in answer) return answer.results;
    throw new Error(answer === "waits" ? "a side did not end" : answer.error);
  }) as [Result[], Result[]];
}
