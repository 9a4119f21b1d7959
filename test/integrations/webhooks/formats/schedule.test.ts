/** When pending events become a message, for any events and any clock. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { minuteMicros, secondMicros } from "../../../../src/core/lib/time.ts";
import {
  decide,
  digestMicros,
  type Item,
  urgentMicros,
} from "../../../../src/integrations/webhooks/formats/notices/digest.ts";

const urgencies = ["urgent", "normal", "quiet", null] as const;
const holdMax = 5 * minuteMicros;

/** Events of a lane: how urgent, how long after the one before, and how long it waits at most. */
const arrivals = fc.array(
  fc.record({
    urgency: fc.constantFrom(...urgencies),
    gap: fc.integer({ min: 0, max: 90 * secondMicros }),
    hold: fc.constantFrom(0, 0, 10 * secondMicros, holdMax),
  }),
  { maxLength: 60 },
);

interface Sent {
  at: number;
  items: (Item & { index: number; at: number })[];
}

/** Delivers as the engine does: asks when an event comes and when the plan said to ask again. */
function deliver(events: { urgency: Item["urgency"]; gap: number; hold: number }[]): Sent[] {
  let at = 0;
  const coming = events.map(({ urgency, gap, hold }, index) => {
    at += gap;
    return { urgency, readyAt: at + hold, at, index };
  });
  const sent: Sent[] = [];
  let pending: typeof coming = [];
  let lastSentAt: number | null = null;
  let askAgainAt = Number.POSITIVE_INFINITY;
  for (let turns = 0; coming.length > 0 || pending.length > 0; turns++) {
    if (turns > 10 * events.length + 10) throw new Error("does not end");
    const now = Math.min(coming[0]?.at ?? Number.POSITIVE_INFINITY, askAgainAt);
    pending = [...pending, ...coming.splice(0, coming.findLastIndex((one) => one.at <= now) + 1)];
    askAgainAt = Number.POSITIVE_INFINITY;
    while (pending.length > 0) {
      const decision = decide(pending, lastSentAt, now);
      if (decision.action === "wait") {
        expect(decision.until).toBeGreaterThan(now);
        expect(decision.until).toBeLessThanOrEqual(now + Math.max(holdMax, digestMicros));
        askAgainAt = decision.until;
        break;
      }
      expect(decision.covers).toBeGreaterThan(0);
      const items = pending.slice(0, decision.covers);
      pending = pending.slice(decision.covers);
      if (decision.action === "send") {
        sent.push({ at: now, items });
        lastSentAt = now;
      } else expect(items.every(({ urgency }) => urgency === null)).toBe(true);
    }
  }
  return sent;
}

const deliveries = (check: (sent: Sent[], events: Parameters<typeof deliver>[0]) => void) =>
  fc.assert(
    fc.property(arrivals, (events) => check(deliver(events), events)),
    { numRuns: 500 },
  );

describe("the messages of a lane", () => {
  test("cover every event that is worth one exactly once, in the order of the log", () =>
    deliveries((sent, events) => {
      const covered = sent.flatMap(({ items }) => items).filter(({ urgency }) => urgency !== null);
      const worth = events.flatMap(({ urgency }, index) => (urgency === null ? [] : [index]));
      expect(covered.map(({ index }) => index)).toEqual(worth);
    }));

  test("hold something worth a message", () =>
    deliveries((sent) =>
      expect(sent.every(({ items }) => items.some(({ urgency }) => urgency !== null))).toBe(true),
    ));

  test("are a minute after the one before, unless they hold something urgent: then five seconds", () =>
    deliveries((sent) => {
      for (const [index, { at, items }] of sent.slice(1).entries()) {
        const isUrgent = items.some(({ urgency }) => urgency === "urgent");
        expect(at - (sent[index] as Sent).at).toBeGreaterThanOrEqual(isUrgent ? urgentMicros : digestMicros);
      }
    }));

  test("tell what is urgent within five seconds", () =>
    deliveries((sent) => {
      for (const { at, items } of sent)
        for (const item of items)
          if (item.urgency === "urgent") expect(at - item.at).toBeLessThanOrEqual(urgentMicros);
    }));

  test("tell everything else once it has waited for its run, and then for the minute", () =>
    deliveries((sent) => {
      for (const { at, items } of sent)
        for (const item of items)
          if (item.urgency !== null) expect(at - item.at).toBeLessThanOrEqual(holdMax + 2 * digestMicros);
    }));
});

describe("a plan", () => {
  const item = (urgency: Item["urgency"], readyAt = 0): Item => ({ urgency, readyAt });
  const now = 1000 * minuteMicros;

  test("skips what no message tells of", () => {
    expect(decide([item(null), item(null)], null, now)).toEqual({ action: "skip", covers: 2 });
    expect(decide([item(null), item("normal")], now, now)).toEqual({ action: "skip", covers: 1 });
  });

  test("sends the first message at once, and the next after a minute", () => {
    expect(decide([item("normal")], null, now)).toEqual({ action: "send", covers: 1 });
    const until = now + digestMicros;
    expect(decide([item("normal")], now, now)).toEqual({ action: "wait", until });
    expect(decide([item("normal")], now, until)).toEqual({ action: "send", covers: 1 });
  });

  test("takes what waits before something urgent along, and leaves what waits after it", () => {
    const later = now + minuteMicros;
    const items = [item("normal", later), item("urgent"), item("normal", later), item("normal")];
    expect(decide(items, now - urgentMicros, now)).toEqual({ action: "send", covers: 2 });
  });

  test("does not wait longer because another node's clock is ahead", () => {
    const until = now + digestMicros;
    expect(decide([item("normal")], now + 100 * minuteMicros, now)).toEqual({ action: "wait", until });
  });
});
