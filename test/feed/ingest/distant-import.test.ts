/** Importing into a Postgres that is a network away: a bounded number of trips for a batch. */
import { expect, test } from "bun:test";
import { openData } from "../../../db/open.ts";
import type { Appendable } from "../../../src/feed/rows.ts";
import { startProxy } from "../../faults/proxy.ts";
import { event, link, migratedDatabase } from "../../support/harness.ts";
import { wrongRuns } from "../../support/memory/runs.ts";
import { seededRandom } from "../../support/random.ts";

const second = 1_000_000;
const begin = Date.parse("2026-02-01T00:00:00Z") * 1000;

/** Runs without a `run_id` and pipelines, told to the second, in any order, by agents of many projects. */
function pastEvents(): Appendable[] {
  const random = seededRandom(21);
  const events = Array.from({ length: 500 }, (_, index) => {
    const at = begin + index * 10 * second;
    const work = { project: `p${index % 20}`, actor: `agent:${index % 3}`, issue: 1 + (index % 40) };
    const pipeline = { project: "p1", actor: "bot:ci", run_id: `github-actions/${index}/1` };
    return [
      event({ ...work, kind: "run.started", ts: at }),
      event({ ...work, kind: "step.usage", ts: at + second }),
      event({ ...work, kind: "run.finished", ts: at + second }),
      event({ ...pipeline, kind: "run.finished", ts: at }),
    ];
  });
  return events.flat().toSorted(() => (random.chance(0.5) ? 1 : -1));
}

test("a batch of an import fits into a transaction, whatever it holds", async () => {
  await using database = await migratedDatabase("postgres");
  const target = new URL(database.url);
  await using proxy = await startProxy({ hostname: target.hostname, port: Number(target.port) });
  const url = new URL(database.url);
  url.host = `127.0.0.1:${proxy.port}`;
  const data = await openData(url.href, { now: () => Date.now() * 1000, log() {} });
  for (let index = 0; index < 20; index++) await link(data, `p${index}`);
  proxy.fault({ delayMs: 2 });
  const events = pastEvents();
  const { added } = await data.append(events);
  expect(added.length).toBe(events.length);
  proxy.fault(null);
  expect(await wrongRuns(data)).toEqual([]);
  await data.close();
}, 60_000);
