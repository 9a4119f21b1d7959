/** The state machine of a lane: whatever happens, its events are sent in order, and none is left out. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dayMicros, minuteMicros, secondMicros } from "../../../src/core/lib/time.ts";
import type { Event } from "../../../src/feed/schema.ts";
import { Lane, retryDelay } from "../../../src/integrations/webhooks/delivery/lane.ts";
import { Pacer } from "../../../src/integrations/webhooks/delivery/pacer.ts";
import { must } from "../../support/harness.ts";

// safe because: a lane reads nothing else
const eventOf = (id: number) => ({ id }) as Event;
const from = (first: number, last: number): Event[] =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => eventOf(first + index));

type Step = "append" | "burst" | "deliver" | "skip" | "fail" | "wait" | "slow" | "restart";
const steps: Step[] = ["append", "burst", "deliver", "skip", "fail", "wait", "slow", "restart"];

/** A lane, the log it reads, what its row says, and what its receiver got. */
class Model {
  lane = new Lane("atlas", { cursor: 0 });
  head = 0;
  now = 1;
  /** In the order of their first receipts; what was skipped counts as received. */
  received: number[] = [];

  run(step: Step): void {
    this.now += secondMicros;
    if (step === "append") this.append(1);
    else if (step === "burst") this.append(300);
    else if (step === "slow") this.lane.letPass(this.now);
    else if (step === "restart") this.restart();
    else this.work(step);
  }

  append(count: number): void {
    for (const event of from(this.head + 1, this.head + count)) {
      this.lane.offer(event, this.now);
      this.head = event.id;
    }
  }

  /** The process dies: the row is what is left, or without one the cursor of the webhook. */
  restart(): void {
    const { state, queue } = this.lane;
    const cursor = state?.due_at != null ? state.cursor : (queue[0]?.id ?? this.head + 1) - 1;
    this.lane = new Lane("atlas", { ...state, cursor });
    for (const event of from(cursor + 1, this.head)) this.lane.offer(event, this.now);
  }

  work(step: "deliver" | "skip" | "fail" | "wait"): void {
    const { lane } = this;
    if (lane.readyAt === null) return;
    this.now = Math.max(this.now, lane.readyAt);
    if (lane.queue.length === 0) {
      const readTo = Math.min(this.head, lane.readTo + 50);
      if (!lane.isAttached) lane.fill(from(lane.readTo + 1, readTo), readTo, this.head);
    }
    const next = lane.queue.slice(0, 3);
    if (next.length === 0) lane.settle(this.now);
    else if (step === "fail") lane.failed(this.now, null, 0);
    else if (step === "wait") lane.wait(this.now + minuteMicros, this.now);
    else {
      this.received.push(...next.map(({ id }) => id).filter((id) => !this.received.includes(id)));
      if (step === "skip") lane.skipped(next.length, this.now);
      else lane.delivered(next.length, this.now, false);
    }
  }
}

describe("a lane", () => {
  test("sends every event, in order, whatever happens between", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...steps), { maxLength: 60 }), (taken) => {
        const model = new Model();
        for (const step of taken) model.run(step);
        for (let left = 5_000; left > 0 && model.lane.readyAt !== null; left--) model.run("deliver");
        expect(model.received).toEqual(from(1, model.head).map(({ id }) => id));
        expect(model.lane.state).toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  test("keeps few events in memory", () => {
    const model = new Model();
    for (let bursts = 0; bursts < 10; bursts++) model.run("burst");
    expect(model.lane.queue.length).toBeLessThan(300);
    model.run("fail");
    expect(model.lane.queue).toEqual([]);
  });

  test("is retried with growing waits, and given up after three days", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 30].map((attempts) => retryDelay(attempts, null, 0) / secondMicros);
    expect(waits).toEqual([5, 30, 120, 600, 1800, 3600, 7200, 7200]);
    expect(retryDelay(1, 90_000, 0)).toBe(90 * secondMicros);
    expect(retryDelay(1, 1e12, 0)).toBe(dayMicros);
    expect(retryDelay(8, null, 1)).toBeLessThanOrEqual(7_200 * 1.1 * secondMicros);
    const lane = new Lane("atlas", { cursor: 0 });
    lane.offer(eventOf(1), 0);
    expect(lane.failed(0, null, 0)).toBe(false);
    expect(lane.failed(3 * dayMicros - 1, null, 0)).toBe(false);
    expect(lane.failed(3 * dayMicros, null, 0)).toBe(true);
  });

  test("that holds a digest is planned again soon after an event", () => {
    const lane = new Lane("atlas", { cursor: 0 });
    lane.offer(eventOf(1), 0);
    lane.wait(minuteMicros, 0);
    expect(lane.readyAt).toBe(minuteMicros);
    lane.offer(eventOf(2), 10);
    expect(must(lane.readyAt)).toBe(secondMicros);
  });
});

describe("the pacer", () => {
  test("slows down while the process is busy, never to a stop, and recovers", () => {
    let [time, cpu, hasQueue] = [0, 0, false];
    const pacer = new Pacer(
      () => hasQueue,
      () => time,
      () => cpu,
    );
    const pass = (share: number) => {
      [time, cpu] = [time + 100, cpu + 100 * share];
      pacer.measure(100);
    };
    pass(1);
    expect([pacer.isBusy, pacer.rate]).toEqual([true, 50]);
    let taken = 0;
    for (time += 100; pacer.take(); ) taken++;
    expect(taken).toBe(5);
    for (let ticks = 0; ticks < 30; ticks++) pass(0.1);
    expect([pacer.isBusy, pacer.rate]).toEqual([false, 5_000]);
    hasQueue = true; // before the next measurement
    pacer.take();
    expect([pacer.isBusy, pacer.rate]).toEqual([true, 50]);
    for (let ticks = 0; ticks < 30; ticks++) pass(0.1); // these appends wait for a database far away
    expect(pacer.isBusy).toBe(false);
    pass(0.5);
    expect([pacer.isBusy, pacer.rate]).toEqual([true, 25]);
  });
});
