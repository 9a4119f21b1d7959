/** Runs at work in a deployment of thousands of agents. */
import { expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import { minuteMicros } from "../../../src/core/lib/time.ts";
import { dialects, event, link, migratedDatabase, testClock } from "../../support/harness.ts";

/** More than a page reads. */
const others = 2_100;

test.each(dialects)(
  "runs at work are found in their project on %s, however many newer ones are at work in others",
  async (dialect) => {
    await using database = await migratedDatabase(dialect);
    const clock = testClock();
    const data = await openData(database.url, { now: clock.now, log() {} });
    await link(data, "atlas");
    await link(data, "borea");
    const start = (run_id: string, project: string) =>
      event({ kind: "run.started", run_id, project, actor: "agent:worker", issue: 12 });
    await data.append([start("own", "atlas")]);
    clock.advance(2 * minuteMicros);
    await data.append(Array.from({ length: others }, (_, index) => start(`other-${index}`, "borea")));
    const running = { status: "running", limit: 10 } as const;
    const idsOf = async (query: Parameters<typeof data.runs>[1]) =>
      (await data.runs(null, query)).runs.map(({ id }) => id);
    expect(await idsOf({ ...running, project: "atlas" })).toEqual(["own"]);
    expect(await idsOf({ ...running, project: "borea" })).toHaveLength(10);
    expect(await idsOf({ ...running, project: "atlas", status: "waiting" })).toEqual([]);
    await data.close();
  },
);
