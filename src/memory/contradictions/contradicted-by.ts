/** Which decisions newer ones contradict, as found when those were recorded. A brief loads this. */
import type { MemoryReads } from "../port.ts";

/** Contradictions of a project that are read: of its newest decisions that have any. */
export const readMax = 500;

/** The current decisions that newer ones contradict: their ids, each with that of the newest. */
export async function contradictedBy(
  data: Pick<MemoryReads, "contradictions">,
  project: string,
): Promise<Map<number, number>> {
  const rows = await data.contradictions(project, readMax);
  return new Map(
    rows.toReversed().flatMap(({ id, contradicts }) => idsIn(contradicts).map((older) => [older, id])),
  );
}

export const idsIn = (list: string): number[] => list.split(" ").map(Number);
