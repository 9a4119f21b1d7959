/** A packing that is killed: every event is there as it was, once, and the next packing goes on. */
import { describe, expect, test } from "bun:test";
import { openData } from "../../db/open.ts";
import type { Data } from "../../src/data.ts";
import { dayMicros } from "../../src/time.ts";
import { dialects, event, freshDatabase, link, must, rowsOf, runProgram, type TestDatabase, testClock, until } from "../harness.ts";
import { reached, times } from "./promises.ts";

const kills = times("packKills");
const killsOfOneDatabase = 4;
const count = 6_000;

async function fill(database: TestDatabase): Promise<Data> {
  const clock = testClock("2024-03-01T12:00:00Z");
  const data = await openData(database.url, { now: clock.now, log() {} });
  await link(data, "atlas");
  for (let first = 0; first < count; first += 1_000) {
    const steps = Array.from({ length: 1_000 }, (_, index) =>
      event({
        kind: index % 9 ? "step.usage" : "run.finished",
        project: "atlas",
        dedupe_key: `${first + index}`,
        tokens_in: index,
        model: "m",
      }),
    );
    await data.atomically((writes) => writes.append(steps));
    clock.advance(dayMicros);
  }
  return data;
}

const packed = async ({ url }: TestDatabase): Promise<number> => {
  const [sum] = await rowsOf(url, "select coalesce(sum(count), 0) as packed from packs");
  return Number(must(sum).packed);
};

describe.each(dialects)("a packing on %s that is killed", (dialect) => {
  test(`${kills} times, at any moment: no event is lost, changed or there twice, and it goes on where it was`, async () => {
    for (let killed = 0; killed < kills; ) {
      await using database = await freshDatabase(dialect);
      const data = await fill(database);
      const all = await data.feed(null, { limit: 2 * count });
      expect(all.length).toBe(count);
      const pack = () => runProgram(["pack", "--older-than", "30d"], { SVC_DATABASE_URL: database.url });
      for (let round = 0; round < killsOfOneDatabase && killed < kills; round++, killed++) {
        const before = await packed(database);
        await using packing = pack();
        await until(async () => packing.process.exitCode !== null || (await packed(database)) > before, "something more is packed");
        await Bun.sleep(Math.random() * 40);
        packing.process.kill("SIGKILL");
        await packing.process.exited;
        expect(await data.feed(null, { limit: 2 * count })).toEqual(all);
        expect(await data.discrepancies()).toEqual([]);
      }
      await using last = pack();
      expect(await last.process.exited).toBe(0);
      expect(await packed(database)).toBeGreaterThan(count * 0.85);
      expect(await data.feed(null, { limit: 2 * count })).toEqual(all);
      expect(await data.discrepancies()).toEqual([]);
      await data.close();
    }
    reached("packKills", kills);
  });
});
