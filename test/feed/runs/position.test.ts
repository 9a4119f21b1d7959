/** Where a run is in lists: by its newest event, to the minute. */
import { describe, expect, test } from "bun:test";
import { type Micros, minuteMicros, toMicros } from "../../../src/core/lib/time.ts";
import { foldPosition } from "../../../src/feed/runs/position.ts";
import { must } from "../../support/conditions.ts";
import { seededRandom } from "../../support/random.ts";

const noon = toMicros("2026-03-01T12:00:00Z");
const random = seededRandom(5);
const kinds = ["run.started", "step.usage", "asset.uploaded", "run.finished", "run.failed"] as const;
type Event = { kind: (typeof kinds)[number]; ts: Micros };

function positionOf(events: Event[]): Micros {
  const run = { listed_at: must(events[0]).ts, marks: {} };
  for (const event of events) foldPosition(run, event);
  return run.listed_at;
}

describe("the position of a run", () => {
  const at = (seconds: number): Micros => noon + seconds * 1_000_000;

  test("is its newest start or end", () => {
    expect(positionOf([{ kind: "run.started", ts: at(0) }])).toBe(at(0));
    const steps: Event[] = [10, 20].map((seconds) => ({ kind: "step.usage", ts: at(seconds) }));
    expect(positionOf([{ kind: "run.started", ts: at(0) }, ...steps])).toBe(at(0));
    expect(positionOf([...steps, { kind: "run.finished", ts: at(30) }])).toBe(at(30));
  });

  test("moves with the first step of each later minute", () => {
    const steps: Event[] = [0, 50, 65, 90].map((seconds) => ({ kind: "step.usage", ts: at(seconds) }));
    expect(steps.map((_, index) => positionOf(steps.slice(0, index + 1)))).toEqual(
      [0, 0, 65, 65].map((seconds) => at(seconds)),
    );
  });

  test("does not depend on the order in which events arrive, and is of an event of the newest minute", () => {
    for (let round = 0; round < 500; round++) {
      const events = Array.from(
        { length: random.between(1, 8) },
        (_, index): Event => ({
          kind: random.pick(kinds),
          ts: noon - 3 * minuteMicros + random.between(0, 360) * 1_000_000 + index,
        }),
      );
      const position = positionOf(events);
      const shuffled = events
        .map((event) => ({ event, place: random.next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ event }) => event);
      expect(positionOf(shuffled)).toBe(position);
      const newest = Math.max(...events.map(({ ts }) => ts));
      expect(events.some(({ ts }) => ts === position)).toBe(true);
      expect(Math.floor(position / minuteMicros)).toBe(Math.floor(newest / minuteMicros));
    }
  });
});
