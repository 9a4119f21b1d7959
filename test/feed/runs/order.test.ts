/** A run is the same whatever the order in which its events arrive. */
import { describe, expect, test } from "bun:test";
import { type Micros, secondMicros, toMicros } from "../../../src/core/lib/time.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import { dialects, link, openTestData, scaled } from "../../support/harness.ts";
import { runEvent, runRowsOf, wrongRuns } from "../../support/memory/runs.ts";
import { seededRandom } from "../../support/random.ts";

const start = toMicros("2026-02-27T09:00:00Z");
const random = seededRandom(22);

/** Kinds that a run can report, with few distinct times, so that some events are of the same moment. */
const kinds = ["run.started", "step.usage", "step.usage", "run.finished", "run.failed"] as const;

function eventsOfRuns(): Appendable[] {
  return Array.from({ length: 40 }, (_, index) => {
    const at: Micros = start + random.between(0, 12) * secondMicros;
    const isOfRun = random.chance(0.85);
    return runEvent({
      at,
      run_id: random.pick(["run-1", "run-2", "run-3", "github-actions/7/1", "gitlab-ci/7"]),
      project: random.pick(["atlas", "borealis"]),
      kind: isOfRun ? random.pick(kinds) : random.pick(["asset.uploaded", "decision.captured", "pr.opened"]),
      actor: random.pick(["agent:codex", "agent:claude"]),
      summary: `Summary ${random.between(1, 9)}`,
      issue: random.chance(0.5) ? random.between(1, 3) : null,
      pr: random.chance(0.2) ? random.between(1, 3) : null,
      lane: random.chance(0.5) ? random.pick(["lane_a", "lane_b"]) : null,
      model: random.chance(0.5) ? `model-${random.between(1, 20)}` : null,
      tokens_in: random.between(0, 900),
      cost_equiv: random.between(0, 8) / 4, // exact, so that sums do not depend on their order
      duration_ms: random.chance(0.5) ? random.between(1, 5_000) : null,
      dedupe_key: `event-${index}`,
      ...(random.chance(0.1) && { parent_run_id: `run-${random.between(1, 3)}` }),
    });
  });
}

/** The events in any order, some of them twice, in batches of any length. */
function shuffledBatches(events: readonly Appendable[]): Appendable[][] {
  const repeated = [...events, ...events.filter(() => random.chance(0.2))];
  const shuffled = repeated.map((one) => ({ one, place: random.next() })).sort((a, b) => a.place - b.place);
  const batches: Appendable[][] = [[]];
  for (const { one } of shuffled) {
    if (random.chance(0.3)) batches.push([]);
    batches.at(-1)?.push(one);
  }
  return batches.filter((batch) => batch.length > 0);
}

describe.each(dialects)("on %s", (dialect) => {
  const rounds = scaled(dialect === "sqlite" ? 3 : 1, 30);

  test("late, repeated and reordered events of a run lead to the same row", async () => {
    for (let round = 0; round < rounds; round++) {
      const events = eventsOfRuns();
      const outcomes: Record<string, unknown>[][] = [];
      for (let shuffle = 0; shuffle < 4; shuffle++) {
        await using testData = await openTestData(dialect);
        for (const slug of ["atlas", "borealis"]) await link(testData.data, slug);
        const batches = shuffle === 0 ? events.map((one) => [one]) : shuffledBatches(events);
        for (const batch of batches) await testData.data.append(batch);
        outcomes.push(await runRowsOf(testData.url));
        expect(await wrongRuns(testData.data)).toEqual([]);
        await testData.data.rebuildDerivedRows(["runs"]);
        outcomes.push(await runRowsOf(testData.url));
      }
      for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0] as Record<string, unknown>[]);
    }
  });

  test("imports into the past lead to the same runs without a run_id as appending in order", async () => {
    for (let round = 0; round < rounds; round++) {
      const events = Array.from({ length: 40 }, (_, index) => {
        const { at, ...fields } = {
          at: start + index * 3600 * secondMicros,
          kind: random.pick(kinds),
          issue: random.pick([1, 2, null]),
          pr: random.pick([1, null, null]),
          actor: random.pick(["agent:codex", "agent:claude"]),
          summary: `Summary ${index}`,
        };
        return runEvent({ ...fields, ts: at, dedupe_key: `event-${index}` });
      });
      const statesOf = async (batches: Appendable[][]) => {
        await using testData = await openTestData(dialect);
        for (const slug of ["atlas"]) await link(testData.data, slug);
        for (const batch of batches) await testData.data.append(batch);
        expect(await wrongRuns(testData.data)).toEqual([]);
        // Ids are assigned in the order of arrival, so the runs are compared by their start.
        const rows = (await runRowsOf(testData.url)).map(({ id: _, ...row }) => row);
        return rows.sort((a, b) => Number(a.started_at) - Number(b.started_at));
      };
      const inOrder = await statesOf([events]);
      expect(inOrder.length).toBeGreaterThan(3);
      for (let shuffle = 0; shuffle < 3; shuffle++)
        expect(await statesOf(shuffledBatches(events))).toEqual(inOrder);
    }
  });
});
