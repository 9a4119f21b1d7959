/** Runs of `GET /today`: in flight, finished since the last look, lost, and what their kind usually costs. */
import { describe, expect, test } from "bun:test";
import { type Micros, secondMicros } from "../../../src/core/lib/time.ts";
import type { Today } from "../../../src/overview/today/schema.ts";
import { dialects, event, link, openApp, type TestApp } from "../../support/harness.ts";
import { base } from "../../support/http/input.ts";

const hourMicros = 3_600 * secondMicros;

interface TestRun {
  id: string;
  status: "running" | "finished" | "failed";
  at: Micros;
  project?: string;
  lane?: string | null;
  cost?: number;
}

const addRun = (
  { ctx }: TestApp,
  { id, status, at, project = "atlas", lane = "lane_a", cost = 0 }: TestRun,
) => {
  const of = { project, lane, run_id: id, actor: "agent:codex", summary: id };
  return ctx.data.append([
    event({ ...of, kind: "run.started", ts: at - 1 }),
    ...(status === "running" ? [] : [event({ ...of, kind: `run.${status}`, cost_equiv: cost, ts: at })]),
  ]);
};

async function today(app: TestApp, projects: string[] | null = null): Promise<Today> {
  const token = await app.mint(["feed:read"], { name: `reader-${crypto.randomUUID()}`, projects });
  return (await (await app.ask(`${base}/today`, { token })).json()) as Today;
}
const idsOf = ({ runs }: Today["running"]): string[] => runs.map(({ id }) => id);

describe.each(dialects)("runs of today on %s", (dialect) => {
  test("are in flight until 30 minutes without an event, then lost; finished ones since the last look", async () => {
    await using app = await openApp(dialect);
    for (const slug of ["atlas", "beacon"]) await link(app.ctx.data, slug);
    const now = app.clock.now();
    await addRun(app, { id: "moving", status: "running", at: now - hourMicros / 4 });
    await addRun(app, { id: "silent", status: "running", at: now - hourMicros });
    await addRun(app, { id: "forgotten", status: "running", at: now - 24 * 8 * hourMicros });
    await addRun(app, { id: "done", status: "finished", at: now - 2 * hourMicros });
    await addRun(app, { id: "theirs", status: "finished", at: now - 3 * hourMicros, project: "beacon" });
    await addRun(app, { id: "failed", status: "failed", at: now - 4 * hourMicros });
    await addRun(app, { id: "old", status: "finished", at: now - 24 * 9 * hourMicros });
    const all = await today(app);
    expect([idsOf(all.running), idsOf(all.lost)]).toEqual([["moving"], ["silent"]]);
    expect(all.finished.runs.map(({ run }) => run.id)).toEqual(["done", "theirs"]);
    expect([all.running.count, all.lost.count, all.finished.count]).toEqual([1, 1, 2]);
    const theirs = await today(app, ["beacon"]);
    expect([theirs.running.count, theirs.lost.count, theirs.finished.count]).toEqual([0, 0, 1]);
  });

  test("are compared with the median cost of the last finished runs of their project and lane", async () => {
    await using app = await openApp(dialect);
    for (const slug of ["atlas", "beacon"]) await link(app.ctx.data, slug);
    const now = app.clock.now();
    const long = now - 24 * 10 * hourMicros;
    const usual = { atlas: [0.1, 0.2, 0.9, 0], beacon: [3, 4, 5] };
    for (const [project, costs] of Object.entries(usual))
      for (const [index, cost] of costs.entries()) {
        const at = long + index * secondMicros;
        await addRun(app, { id: `old ${index}`, status: "finished", at, cost, project });
      }
    await addRun(app, { id: "failed", status: "failed", at: long + 9 * secondMicros, cost: 50 });
    await addRun(app, { id: "rare", status: "finished", at: now - secondMicros, cost: 7, lane: null });
    await addRun(app, { id: "new", status: "finished", at: now - 2 * secondMicros, cost: 0.4 });
    const theirs = { id: "theirs", project: "beacon", cost: 6 };
    await addRun(app, { ...theirs, status: "finished", at: now - 3 * secondMicros });
    const { finished } = await today(app);
    expect(finished.runs.map(({ run, usual_cost }) => [run.id, run.cost_equiv, usual_cost])).toEqual([
      ["rare", 7, null],
      ["new", 0.4, 0.2],
      ["theirs", 6, 4],
    ]);
  });

  test("are counted up to 100, of which the newest 15 are shown", async () => {
    await using app = await openApp(dialect);
    await link(app.ctx.data, "atlas");
    for (let at = 0; at < 120; at++)
      await addRun(app, { id: `run ${at}`, status: "finished", at: app.clock.now() - at * secondMicros });
    const { finished } = await today(app);
    expect([finished.count, finished.runs.length, finished.runs[0]?.run.id]).toEqual([100, 15, "run 0"]);
  });
});
