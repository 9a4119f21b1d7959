/**
 * Clocks that jump, of two processes on one database: the times of events go on rising, in the order of their
 * numbers.
 */
import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import { dayMicros, secondMicros } from "../../src/core/lib/time.ts";
import { dialects, event, migratedDatabase, must, testClock } from "../support/harness.ts";
import { reached, times } from "./promises.ts";

const total = times("clock");
const jumps = [
  3_600 * -secondMicros,
  dayMicros,
  -dayMicros,
  1,
  -1,
  0,
  -17 * secondMicros,
  3_600 * secondMicros,
];

describe.each(dialects)("on %s", (dialect) => {
  test(`${total} events under clocks that jump by hours and days: no time is taken twice, none is earlier than the one before`, async () => {
    await using database = await migratedDatabase(dialect);
    const clocks = [testClock(), testClock("2026-03-01T11:00:00Z")];
    const processes = await Promise.all(
      clocks.map((clock) => openData(database.url, { now: clock.now, log() {} })),
    );
    const share = total / processes.length;
    await Promise.all(
      processes.map(async (data, index) => {
        for (let sent = 0, turn = index; sent < share; turn++) {
          must(clocks[index]).advance(must(jumps[turn % jumps.length]));
          const size = Math.min(share - sent, 1 + (turn % 20));
          await data.atomically((writes) => writes.append(Array.from({ length: size }, () => event())));
          sent += size;
        }
      }),
    );
    const [data] = processes;
    let [seen, last] = [0, Number.NEGATIVE_INFINITY];
    for (;;) {
      const page = await must(data).feed(null, { order: "oldest first", after: last, limit: 1000 });
      if (page.length === 0) break;
      for (const { id, ts } of page) {
        expect([id, ts > last]).toEqual([++seen, true]);
        last = ts;
      }
    }
    expect(seen).toBe(total);
    for (const one of processes) await one.close();
    reached("clock", total);
  });
});
