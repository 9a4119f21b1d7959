/** The runs of the demo. */
import { beforeAll, describe, expect, test } from "bun:test";
import type { Data } from "../../src/api/port.ts";
import { secondMicros, toMicros } from "../../src/core/lib/time.ts";
import type { RunRow } from "../../src/feed/rows.ts";
import { statusOf } from "../../src/feed/runs/runs.ts";
import { fillDemoAt } from "../support/demo.ts";
import { assetRowsOf, must } from "../support/harness.ts";
import { wrongRuns } from "../support/memory/runs.ts";

const moments = ["2026-03-05T14:20:00Z", "2026-03-09T05:30:00Z", "2026-08-15T10:00:00Z"] as const;

describe.each(moments)("the runs of the demo at %s", (text) => {
  const now = toMicros(text);
  let data: Data;
  let runs: RunRow[];
  beforeAll(async () => {
    data = await fillDemoAt(now);
    ({ runs } = await data.runs(null, { limit: 10_000 }));
  });

  test("are those of its events", async () => {
    expect(runs.length).toBeGreaterThan(100);
    expect(await wrongRuns(data)).toEqual([]);
  });

  test("have every status, and a run in flight that started another", () => {
    const statuses = new Set(runs.map((run) => statusOf(run, now - 1800 * secondMicros)));
    expect([...statuses].sort()).toEqual(["failed", "finished", "lost", "running"]);
    const child = must(runs.find(({ parent }) => parent !== null));
    const parent = must(runs.find(({ id }) => id === child.parent));
    expect([parent.status, parent.issue]).toEqual(["running", child.issue]);
  });

  test("made the assets of agents, over several attempts with the notes on the versions before", async () => {
    const assets = (await assetRowsOf(data)).filter(({ created_by }) => created_by.startsWith("agent:"));
    expect(assets.filter(({ run_id }) => run_id === null)).toEqual([]);
    const second = must(assets.find(({ version }) => version === 2));
    const first = must(assets.find(({ root_id, version }) => root_id === second.root_id && version === 1));
    const run = must(await data.run(null, second.project, must(second.run_id)));
    expect((await data.runAssets(run, 10)).map(({ id }) => id)).toEqual([second.id]);
    const [brief] = await data.runBriefs(run, 10);
    const decisions = await data.decisions([second.project], { status: "all", limit: 200 });
    const note = must(decisions.find(({ source_ref }) => source_ref === first.id));
    expect(must(brief).decisions).toContain(note.id);
    expect(must(brief).text).toContain(note.text);
    expect(must((await data.runAttempts(run)).previous).issue).toBe(must(run.issue));
  });

  test("were all told something, and some made decisions", () => {
    expect(runs.filter(({ brief }) => brief === null)).toEqual([]);
    expect(runs.filter(({ decisions }) => decisions > 0).length).toBeGreaterThan(2);
  });
});
